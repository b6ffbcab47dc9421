// Thrift's compact protocol, which Parquet uses for its metadata.
// https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md

/** A value with its type. Structs are keyed by field ID. */
export type Thrift =
  | { readonly kind: 'i32'; readonly value: number }
  | { readonly kind: 'i64'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  | { readonly kind: 'list'; readonly of: keyof typeof TYPES; readonly items: readonly Thrift[] }
  | { readonly kind: 'struct'; readonly fields: Readonly<Record<number, Thrift | undefined>> };

const TYPES = { i32: 5, i64: 6, text: 8, list: 9, struct: 12 } as const;
/** From this size on, the size follows the list header. */
const LONG_LIST = 15;
/** Field ID deltas up to this one fit into the field header. */
const MAX_DELTA = 15;

export const i32 = (value: number): Thrift => ({ kind: 'i32', value });
export const i64 = (value: number): Thrift => ({ kind: 'i64', value });
export const thriftText = (value: string): Thrift => ({ kind: 'text', value });
export const thriftList = (of: keyof typeof TYPES, items: readonly Thrift[]): Thrift => ({
  kind: 'list',
  of,
  items,
});
export const thriftStruct = (fields: Readonly<Record<number, Thrift | undefined>>): Thrift => ({
  kind: 'struct',
  fields,
});

export function encodeThrift(value: Thrift): Uint8Array {
  const bytes: number[] = [];
  write(value, bytes);
  return Uint8Array.from(bytes);
}

function write(value: Thrift, bytes: number[]): void {
  if (value.kind === 'i32' || value.kind === 'i64') {
    pushVarint(bytes, value.value * 2);
  } else if (value.kind === 'text') {
    const content = Buffer.from(value.value);
    pushVarint(bytes, content.length);
    for (const byte of content) bytes.push(byte);
  } else if (value.kind === 'list') {
    const { length } = value.items;
    bytes.push((Math.min(length, LONG_LIST) << 4) | TYPES[value.of]);
    if (length >= LONG_LIST) pushVarint(bytes, length);
    for (const item of value.items) write(item, bytes);
  } else {
    let last = 0;
    for (const [key, field] of Object.entries(value.fields)) {
      if (field === undefined) continue;
      const id = Number(key);
      if (id - last > MAX_DELTA) throw new Error(`field ${id} is too far from field ${last}`);
      bytes.push(((id - last) << 4) | TYPES[field.kind]);
      write(field, bytes);
      last = id;
    }
    bytes.push(0);
  }
}

/** Seven bits per byte, lowest first. Values here are never negative, so their zigzag encoding is twice the value. */
export function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  while (rest >= 128) {
    bytes.push((rest % 128) + 128);
    rest = Math.floor(rest / 128);
  }
  bytes.push(rest);
}
