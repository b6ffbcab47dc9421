import { basename, dirname, join } from 'node:path';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { configError } from '#contract/errors.ts';
import { withFileSource } from '#platform/file-source.ts';
import { readJsonObject } from '../model/read-json.ts';
import { readTorch } from '../torch/read-torch.ts';
import { readSafetensors } from './read-safetensors.ts';
import type { StoredTensor } from './stored-tensor.ts';
import { isTorchFile, isWeightIndex } from './weight-files.ts';

/** Reads the names and positions of the tensors in a file, in the format that its name states. */
export const readStored = (source: ByteSource): Map<string, StoredTensor> =>
  isTorchFile(source.name) ? readTorch(source) : readSafetensors(source);

/** Finds a model's weights in one file, or in the files that an index lists. */
export async function findWeights(path: string): Promise<Map<string, StoredTensor>> {
  const tensors = new Map<string, StoredTensor>();
  for (const file of await weightFilesOf(path)) {
    for (const [name, tensor] of await withFileSource(join(dirname(path), file), readStored)) {
      tensors.set(name, tensor);
    }
  }
  return tensors;
}

/** Names of the weight files: the single file, or those that the index lists. */
export async function weightFilesOf(path: string): Promise<string[]> {
  if (!isWeightIndex(path)) return [basename(path)];
  const { weight_map: map } = await readJsonObject<{ weight_map?: unknown }>(path);
  const type = path.endsWith('.bin.index.json') ? '.bin' : '.safetensors';
  const files = typeof map === 'object' && map !== null ? [...new Set<unknown>(Object.values(map))] : [];
  return files.map((file) => {
    // An index can only name files of its own type in its own folder.
    if (typeof file === 'string' && !/[/\\]/.test(file) && file.endsWith(type)) return file;
    throw configError(`${path} must map each weight to a ${type} file in the same folder.`);
  });
}
