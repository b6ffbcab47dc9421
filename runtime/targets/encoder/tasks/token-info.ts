import { type BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { TokenInfo } from '../math/inference.ts';

/** Encodes a TokenInfo message, as defined in proto/encoder. */
export function writeTokenInfo(writer: BinaryWriter, field: number, info: TokenInfo): void {
  writer.tag(field, WireType.LengthDelimited).fork();
  if (info.token !== '') writer.tag(1, WireType.LengthDelimited).string(info.token);
  if (info.token_id !== 0) writer.tag(2, WireType.Varint).uint32(info.token_id);
  if (info.start !== 0) writer.tag(3, WireType.Varint).uint32(info.start);
  if (info.end !== 0) writer.tag(4, WireType.Varint).uint32(info.end);
  writer.join();
}

/**
 * Writes a packed `repeated float`. The bytes of the array are copied unchanged, because every
 * supported platform is little-endian.
 */
export function writeTokenFloats(writer: BinaryWriter, field: number, values: Float32Array): void {
  if (values.length === 0) return;
  writer
    .tag(field, WireType.LengthDelimited)
    .bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
}
