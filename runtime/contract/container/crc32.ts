/**
 * Computes a CRC-32 checksum (ISO-HDLC, as in zip and png). Node's implementation is not used,
 * because this folder does not import Node; the input only has a few hundred bytes.
 */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
