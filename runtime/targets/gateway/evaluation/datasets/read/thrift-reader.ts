/** A value of Thrift's compact protocol: numbers, structs by the ids of their fields, and lists. Texts are only their length. */
export type ThriftValue = number | ThriftStruct | readonly ThriftValue[];
export type ThriftStruct = ReadonlyMap<number, ThriftValue>;

const TYPE = { stop: 0, true: 1, false: 2, byte: 3, double: 7, binary: 8, list: 9, set: 10, struct: 12 };
const MAX_DEPTH = 32;
const MAX_VARINT_BYTES = 10;

/**
 * Reads a struct and checks its form before a library reads it: lists are not longer than the bytes that follow, nothing is nested too
 * deeply, and each value takes at least one byte, so that time and memory are linear. Throws an error.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
export function readThrift(bytes: Uint8Array): { readonly value: ThriftStruct; readonly length: number } {
  let at = 0;
  const byte = (): number => {
    const value = bytes[at];
    if (value === undefined) throw new Error('its metadata is truncated');
    at += 1;
    return value;
  };
  const varint = (): number => {
    let value = 0;
    let factor = 1;
    for (let length = 0; length < MAX_VARINT_BYTES; length += 1) {
      const next = byte();
      value += (next & 0x7f) * factor;
      if (next < 0x80) return value;
      factor *= 128;
    }
    throw new Error('a number in its metadata is too long');
  };
  const zigzag = (): number => {
    const value = varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const skip = (length: number): number => {
    if (length > bytes.length - at) throw new Error('its metadata is truncated');
    at += length;
    return length;
  };
  const list = (depth: number): ThriftValue[] => {
    const header = byte();
    const size = header >> 4 === 15 ? varint() : header >> 4;
    if (size > bytes.length - at) throw new Error('a list in its metadata is longer than the file');
    const type = header & 0x0f;
    return Array.from({ length: size }, () =>
      // In a list, a boolean takes a byte.
      type === TYPE.true || type === TYPE.false ? byte() : element(type, depth),
    );
  };
  const element = (type: number, depth: number): ThriftValue => {
    if (depth > MAX_DEPTH) throw new Error('its metadata is nested too deeply');
    switch (type) {
      case TYPE.true:
        return 1;
      case TYPE.false:
        return 0;
      case TYPE.byte:
        return byte();
      case 4:
      case 5:
      case 6:
        return zigzag();
      case TYPE.double:
        return skip(8);
      case TYPE.binary:
        return skip(varint());
      case TYPE.list:
      case TYPE.set:
        return list(depth + 1);
      case TYPE.struct:
        return struct(depth + 1);
      default:
        throw new Error(`its metadata has a value of unknown type ${type}`);
    }
  };
  const struct = (depth: number): ThriftStruct => {
    const fields = new Map<number, ThriftValue>();
    let id = 0;
    for (let header = byte(); (header & 0x0f) !== TYPE.stop; header = byte()) {
      id = header >> 4 === 0 ? zigzag() : id + (header >> 4);
      fields.set(id, element(header & 0x0f, depth));
    }
    return fields;
  };
  return { value: struct(0), length: at };
}

/** A number of a struct; `fallback` if the field is missing. Throws an error if it is negative, or not a number. */
export function countOf(struct: ThriftStruct | undefined, id: number, fallback?: number): number {
  const value = struct?.get(id) ?? fallback;
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new Error('a size in its metadata is invalid');
  return value;
}

export const structOf = (value: ThriftValue | undefined): ThriftStruct | undefined =>
  value instanceof Map ? value : undefined;

export const listOf = (value: ThriftValue | undefined): readonly ThriftValue[] =>
  Array.isArray(value) ? (value as readonly ThriftValue[]) : [];
