import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { ByteSource } from '#contract/container/byte-source.ts';

export interface MessageField {
  readonly number: number;
  /**
   * Start and end of the content of a length-delimited field; for other fields, both are the end of
   * the field.
   */
  readonly start: number;
  readonly end: number;
  /** The value of a numeric field; 0 for other fields. */
  readonly value: number;
}

/** Maximum length of a field header in bytes: a tag and a number of at most 10 bytes each. */
const HEADER_BYTES = 20;

/**
 * Iterates over the fields of a protobuf message. Only reads the field headers, because the weights
 * in a model can be gigabytes.
 */
export function* messageFields(source: ByteSource, from: number, to: number): Generator<MessageField> {
  for (let at = from; at < to;) {
    const reader = new BinaryReader(source.readAt(at, Math.min(HEADER_BYTES, to - at)));
    const [number, type] = reader.tag();
    const isDelimited = type === WireType.LengthDelimited;
    let value = 0;
    if (isDelimited || type === WireType.Varint) value = Number(reader.int64());
    else reader.skip(type, number);
    const start = at + reader.pos;
    const end = isDelimited ? start + value : start;
    if (end < start || end > to) throw new RangeError('A field ends after its message');
    yield { number, start, end, value: isDelimited ? 0 : value };
    at = end;
  }
}
