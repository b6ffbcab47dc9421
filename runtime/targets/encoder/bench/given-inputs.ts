import { configError } from '#contract/errors.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { ImageLimits } from '#core/images/read-image-size.ts';
import { itemAt } from '#core/values/item-at.ts';
import { readImageFiles } from '../engine/read-image-files.ts';
import { type InputFlags, inputSource, openSource } from '../infer/input-source.ts';
import { inputInText } from '../infer/input-in-text.ts';
import type { BenchInput } from './request.ts';

/** Maximum number of inputs to measure. More of them would hardly change the result. */
const MAX_INPUTS = 256;
/** No more inputs are read when they have this size, because all of them are kept in memory. */
const MAX_BYTES = 128 * 2 ** 20;

/** Reads the first texts or images of `--input`. */
export async function readGivenInputs(
  manifest: Manifest,
  limits: ImageLimits,
  flags: InputFlags,
): Promise<BenchInput[]> {
  const { texts } = openSource(inputSource(manifest, flags));
  const inputs: BenchInput[] = [];
  let bytes = 0;
  let line = 0;
  for await (const item of texts) {
    line += 1;
    if ('error' in item) throw configError(`${flags.input}: input ${line}: ${item.error}.`);
    const input = 'image' in item ? item : inputInText(item.text, manifest, item.isExact);
    const read = typeof input === 'string' ? input : await readImageFile(input.image, manifest, limits);
    inputs.push(read);
    bytes += read.length;
    if (inputs.length === MAX_INPUTS || bytes > MAX_BYTES) break;
  }
  if (inputs.length > 0) return inputs;
  throw configError(`${flags.input} contains no inputs. Pass a file with at least one line.`);
}

async function readImageFile(path: string, manifest: Manifest, limits: ImageLimits): Promise<Uint8Array> {
  const read = itemAt(await readImageFiles([path], manifest, { limits }), 0);
  if ('failure' in read) throw configError(read.failure);
  if (!read.image) throw configError(`${path} is not an image. Pass images.`);
  return read.image;
}
