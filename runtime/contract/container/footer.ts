import { crc32 } from './crc32.ts';

/** The last bytes of every file that encoderfile creates; docs/file-format.md describes the fields. */
export interface Footer {
  readonly formatVersion: number;
  readonly indexOffset: number;
  readonly indexLength: number;
  readonly indexCrc: number;
}

export const FORMAT_VERSION = 1;
export const FOOTER_LENGTH = 40;
const MAGIC = new TextEncoder().encode('ENCODERF');

export function encodeFooter(footer: Footer): Uint8Array {
  const bytes = new Uint8Array(FOOTER_LENGTH);
  const view = new DataView(bytes.buffer);
  bytes.set(MAGIC, 0);
  view.setUint32(8, footer.formatVersion, true);
  view.setUint32(12, 0, true);
  view.setBigUint64(16, BigInt(footer.indexOffset), true);
  view.setUint32(24, footer.indexLength, true);
  view.setUint32(28, footer.indexCrc, true);
  view.setUint32(36, crc32(bytes.subarray(0, 36)), true);
  return bytes;
}

/**
 * Decodes a footer. Returns `undefined` if the magic number is missing, because the file has no
 * payload or is truncated, and `corrupt` if the checksum does not match.
 */
export function decodeFooter(bytes: Uint8Array): Footer | 'corrupt' | undefined {
  if (bytes.length !== FOOTER_LENGTH || MAGIC.some((byte, at) => bytes[at] !== byte)) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (view.getUint32(36, true) !== crc32(bytes.subarray(0, 36))) return 'corrupt';
  return {
    formatVersion: view.getUint32(8, true),
    indexOffset: Number(view.getBigUint64(16, true)),
    indexLength: view.getUint32(24, true),
    indexCrc: view.getUint32(28, true),
  };
}
