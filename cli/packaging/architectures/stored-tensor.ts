/** A tensor in a safetensors file. Its bytes are not read: the graph refers to them. */
export interface StoredTensor {
  readonly file: string;
  readonly type: StoredType;
  readonly shape: readonly number[];
  /** Range of its bytes in the file. */
  readonly offset: number;
  readonly length: number;
}

/** Types of weights, by their name in safetensors. `onnx` is the number in TensorProto.DataType. */
export const STORED_TYPES = {
  F32: { onnx: 1, bytes: 4 },
  F16: { onnx: 10, bytes: 2 },
  BF16: { onnx: 16, bytes: 2 },
  F64: { onnx: 11, bytes: 8 },
} as const;

export type StoredType = keyof typeof STORED_TYPES;

export const isStoredType = (name: unknown): name is StoredType =>
  typeof name === 'string' && Object.hasOwn(STORED_TYPES, name);
