import { basename, dirname, join } from 'node:path';
import { configError } from '#contract/errors.ts';
import { withFileSource } from '#platform/file-source.ts';
import { readJsonObject } from '../model/read-json.ts';
import { readSafetensors, type StoredTensor } from './read-safetensors.ts';
import { isSafetensorsIndex } from './safetensors-files.ts';

/** Finds a model's weights in one safetensors file, or in the files that an index lists. */
export async function findWeights(path: string): Promise<Map<string, StoredTensor>> {
  const tensors = new Map<string, StoredTensor>();
  for (const file of await safetensorsOf(path)) {
    for (const [name, tensor] of await withFileSource(join(dirname(path), file), readSafetensors)) {
      tensors.set(name, tensor);
    }
  }
  return tensors;
}

/** Names of the weight files: the single file, or those that the index lists. */
export async function safetensorsOf(path: string): Promise<string[]> {
  if (!isSafetensorsIndex(path)) return [basename(path)];
  const { weight_map: map } = await readJsonObject<{ weight_map?: unknown }>(path);
  const files = typeof map === 'object' && map !== null ? [...new Set<unknown>(Object.values(map))] : [];
  return files.map((file) => {
    // An index can only name files in its own folder.
    if (typeof file === 'string' && /^[^/\\]+\.safetensors$/.test(file)) return file;
    throw configError(`${path} must map each weight to a .safetensors file in the same folder.`);
  });
}
