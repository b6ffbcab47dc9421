/** Element types by their number in `TensorProto.DataType` of onnx.proto. */
export const ELEMENT_TYPES: Readonly<Record<number, { name: string; bits: number }>> = {
  1: { name: 'float32', bits: 32 },
  2: { name: 'uint8', bits: 8 },
  3: { name: 'int8', bits: 8 },
  4: { name: 'uint16', bits: 16 },
  5: { name: 'int16', bits: 16 },
  6: { name: 'int32', bits: 32 },
  7: { name: 'int64', bits: 64 },
  8: { name: 'string', bits: 0 },
  9: { name: 'bool', bits: 8 },
  10: { name: 'float16', bits: 16 },
  11: { name: 'float64', bits: 64 },
  12: { name: 'uint32', bits: 32 },
  13: { name: 'uint64', bits: 64 },
  16: { name: 'bfloat16', bits: 16 },
  21: { name: 'uint4', bits: 4 },
  22: { name: 'int4', bits: 4 },
};

export const FLOAT32 = 1;
export const UINT8 = 2;
export const INT8 = 3;
export const INT64 = 7;
export const FLOAT16 = 10;
export const BOOL = 9;
const INT32 = 6;

/** Output types that can be converted to float32 without significant loss. */
const CONVERTIBLE_TYPES = new Set([10, 11, 16]);

/** Whether results can be computed from numbers of this type. */
export const isFloat = (type: number): boolean => type === FLOAT32 || CONVERTIBLE_TYPES.has(type);

/** Whether token ids fit into this type. */
export const isInteger = (type: number): boolean => type === INT64 || type === INT32;

/** The number of a type in onnx.proto; undefined for an unknown name. */
export function elementType(name: string): number | undefined {
  const found = Object.entries(ELEMENT_TYPES).find(([, type]) => type.name === name);
  return found && Number(found[0]);
}

export const typeName = (type: number): string => ELEMENT_TYPES[type]?.name ?? `number ${type}`;
