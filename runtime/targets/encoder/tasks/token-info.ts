import type { BinaryWriter } from '@bufbuild/protobuf/wire';
import { WireType } from '@bufbuild/protobuf/wire';
import type { Inference } from './task.ts';

export interface TokenInfo {
  readonly token: string;
  readonly token_id: number;
  /** Offset in Unicode code points of the input text. */
  readonly start: number;
  readonly end: number;
}

export interface TokenRow {
  /** Position among all tokens, special tokens included. */
  readonly row: number;
  readonly info: TokenInfo;
  readonly values: Float32Array;
}

/** Returns the tokens of a text with their output rows, without the tokens that the tokenizer added ([CLS], [SEP], <s> ...). */
export function tokenRows({ text, values }: Pick<Inference, 'text' | 'values'>, width: number): TokenRow[] {
  if (!text.details) throw new Error('tokenized without details');
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

/** Writes the TokenInfo message of proto/encoder. */
export function writeTokenInfo(writer: BinaryWriter, field: number, info: TokenInfo): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  if (info.token !== '') writer.tag(1, WireType.LengthDelimited).string(info.token);
  if (info.token_id !== 0) writer.tag(2, WireType.Varint).uint32(info.token_id);
  if (info.start !== 0) writer.tag(3, WireType.Varint).uint32(info.start);
  if (info.end !== 0) writer.tag(4, WireType.Varint).uint32(info.end);
  writer.join();
}

/** Writes a packed `repeated float`: the bytes of the array unchanged, because every supported platform is little-endian. */
export function writeTokenFloats(writer: BinaryWriter, field: number, values: Float32Array): void {
  if (values.length === 0) return;
  writer
    .tag(field, WireType.LengthDelimited)
    .bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}
