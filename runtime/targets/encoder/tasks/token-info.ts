import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import { WireType } from '@bufbuild/protobuf/wire';
import type { Inference } from './task.ts';

export interface TokenInfo {
  readonly token: string;
  readonly token_id: number;
  /** In Unicode code points of the input text. */
  readonly start: number;
  readonly end: number;
}

export interface TokenRow {
  /** Its place among all tokens, special ones included. */
  readonly row: number;
  readonly info: TokenInfo;
  readonly values: Float32Array;
}

/** The tokens of a text with their rows of output; those the tokenizer added ([CLS], [SEP], <s> ...) are left out. */
export function tokenRows({ text, values }: Pick<Inference, 'text' | 'values'>, width: number): TokenRow[] {
  if (!text.details) throw new Error('tokenised without details');
  const { special, tokens, offsets } = text.details;
  const rows: TokenRow[] = [];
  for (const [at, token_id] of text.ids.entries()) {
    if (special[at] === 1) continue;
    rows.push({
      row: at,
      info: { token: tokens[at] ?? '', token_id, start: offsets[at * 2] ?? 0, end: offsets[at * 2 + 1] ?? 0 },
      values: values.subarray(at * width, (at + 1) * width),
    });
  }
  return rows;
}

/** The TokenInfo message of proto/encoder. */
export function writeTokenInfo(writer: BinaryWriter, field: number, info: TokenInfo): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  if (info.token !== '') writer.tag(1, WireType.LengthDelimited).string(info.token);
  if (info.token_id !== 0) writer.tag(2, WireType.Varint).uint32(info.token_id);
  if (info.start !== 0) writer.tag(3, WireType.Varint).uint32(info.start);
  if (info.end !== 0) writer.tag(4, WireType.Varint).uint32(info.end);
  writer.join();
}

/** `repeated float`, packed: the bytes of the array as they are (every platform we run on is little-endian). */
export function writeFloats(writer: BinaryWriter, field: number, values: Float32Array): void {
  if (values.length === 0) return;
  writer
    .tag(field, WireType.LengthDelimited)
    .bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}
