/**
 * A tensor in a file with weights. Its bytes are not read, because the graph refers to the file.
 */
export interface StoredTensor {
  readonly file: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
  /** The order in which the file has the axes, if it is not the tensor's own. */
  readonly axes?: readonly number[];
  /** Byte range in the file. */
  readonly offset: number;
  readonly length: number;
}

/**
 * Types of weights by their safetensors name. `onnx` is the number in TensorProto.DataType. Only
 * tables contain integers.
 */
export const STORED_TYPES = {
  F32: { onnx: 1, bytes: 4 },
  F16: { onnx: 10, bytes: 2 },
  BF16: { onnx: 16, bytes: 2 },
  F64: { onnx: 11, bytes: 8 },
  I8: { onnx: 3, bytes: 1 },
  I32: { onnx: 6, bytes: 4 },
  I64: { onnx: 7, bytes: 8 },
} as const;

export type StoredType = keyof typeof STORED_TYPES;

/** How a tensor is transposed: the shape in the file, and for each axis, where the file has it. */
export interface Transposition {
  readonly storedShape: readonly number[];
  readonly from: readonly number[];
}

/** How a tensor's values must be transposed; undefined if the file has them in the tensor's order. */
export function transpositionOf({
  shape,
  axes,
}: Pick<StoredTensor, 'shape' | 'axes'>): Transposition | undefined {
  return (
    axes && {
      storedShape: axes.map((axis) => shape[axis] ?? 0),
      from: shape.map((_, axis) => axes.indexOf(axis)),
    }
  );
}

/** A tensor's bytes in the order of its axes. */
export function bytesInOrder(tensor: StoredTensor, bytes: ArrayBuffer): ArrayBuffer {
  const transposition = transpositionOf(tensor);
  if (!transposition) return bytes;
  const { storedShape, from } = transposition;
  const strides = storedShape.map((_, at) => storedShape.slice(at + 1).reduce((a, b) => a * b, 1));
  const steps = from.map((at) => strides[at] ?? 0);
  const size = STORED_TYPES[tensor.type].bytes;
  const source = new Uint8Array(bytes);
  const ordered = new Uint8Array(bytes.byteLength);
  const position = tensor.shape.map(() => 0);
  for (let at = 0, read = 0; at < ordered.length; at += size) {
    for (let byte = 0; byte < size; byte += 1) ordered[at + byte] = source[read * size + byte] ?? 0;
    // Moves to the next position, like a counter whose last digit changes fastest.
    for (let axis = position.length - 1; axis >= 0; axis -= 1) {
      const [step = 0, count = 0, here = 0] = [steps[axis], tensor.shape[axis], position[axis]];
      read += step;
      position[axis] = here + 1;
      if (here + 1 < count) break;
      read -= step * count;
      position[axis] = 0;
    }
  }
  return ordered.buffer;
}
