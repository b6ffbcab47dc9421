import { join } from 'node:path';
import { configError } from '#contract/errors.ts';
import type { ByteSource } from '#contract/container/byte-source.ts';
import type { LayerSettings } from '#contract/sentence.ts';
import { withFileSource } from '#platform/file-source.ts';
import { readStored } from '../architectures/find-weights.ts';
import { bytesInOrder, type StoredTensor, type StoredType } from '../architectures/stored-tensor.ts';
import { MODULE_WEIGHTS_TEXT, weightFileIn } from '../architectures/weight-files.ts';
import type { FoundLayer } from './sentence-layers.ts';
import { pushAll } from '#core/values/push-all.ts';

/** Reads the weights of the modules after pooling as float32, for the `layers` section of an executable. */
export async function readLayerWeights(folder: string, layers: readonly FoundLayer[]): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for (const { settings, path } of layers) {
    const tensors = tensorsOf(settings);
    if (tensors.length === 0) continue;
    const file = weightFileIn(join(folder, path));
    if (file === undefined) throw configError(`${path} has no ${MODULE_WEIGHTS_TEXT}. Save the model again.`);
    pushAll(parts, await withFileSource(file, (source) => readTensors(source, tensors)));
  }
  return Buffer.concat(parts);
}

type Expected = readonly [name: string, shape: readonly number[]];

/** The names of the weights in sentence-transformers, in the order of the `layers` section. */
export function tensorsOf(layer: LayerSettings): Expected[] {
  if (layer.kind === 'normalize') return [];
  if (layer.kind === 'layer_norm') {
    return [
      ['norm.weight', [layer.width]],
      ['norm.bias', [layer.width]],
    ];
  }
  const { inputs, outputs, bias } = layer;
  return [
    ['linear.weight', [outputs, inputs]],
    ...(bias ? [['linear.bias', [outputs]] satisfies Expected] : []),
  ];
}

export function readTensors(source: ByteSource, expected: readonly Expected[]): Uint8Array[] {
  const stored = readStored(source);
  return expected.map(([name, shape]) => {
    const tensor = stored.get(name);
    if (!tensor) throw configError(`${source.name} has no tensor ${name}. Save the model again.`);
    if (tensor.shape.join() !== shape.join()) {
      throw configError(
        `${source.name}: ${name} has the shape [${tensor.shape.join(', ')}], but config.json next to it states [${shape.join(', ')}]. Save the model again.`,
      );
    }
    const values = layerFloats(source, tensor);
    return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
  });
}

/** Reads a tensor's values as float32. */
export function layerFloats(source: ByteSource, tensor: StoredTensor): Float32Array {
  const { buffer } = source.readAt(tensor.offset, tensor.length);
  if (!(buffer instanceof ArrayBuffer)) throw new Error('bytes of a file are not shared');
  return tensorFloats(tensor.type, bytesInOrder(tensor, buffer));
}

/** Converts the bytes of a tensor to float32. */
export const tensorFloats = (type: StoredType, bytes: ArrayBuffer): Float32Array<ArrayBuffer> =>
  FLOATS_OF[type](bytes);

const FLOATS_OF: Record<StoredType, (bytes: ArrayBuffer) => Float32Array<ArrayBuffer>> = {
  F32: (bytes) => new Float32Array(bytes),
  F16: (bytes) => Float32Array.from(new Float16Array(bytes)),
  // A bfloat16 number is the upper half of a float32 number.
  BF16: (bytes) => new Float32Array(Uint32Array.from(new Uint16Array(bytes), (half) => half << 16).buffer),
  F64: (bytes) => Float32Array.from(new Float64Array(bytes)),
  I8: (bytes) => Float32Array.from(new Int8Array(bytes)),
  I32: (bytes) => Float32Array.from(new Int32Array(bytes)),
  I64: (bytes) => Float32Array.from(new BigInt64Array(bytes), Number),
};
