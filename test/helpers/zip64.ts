const END_BYTES = 22;
const RECORD_BYTES = 46;

/** Rewrites a zip archive as programs write archives of more than 4 GB: all numbers are in 64-bit fields. */
export function asZip64(archive: Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = Buffer.from(archive);
  const end = bytes.length - END_BYTES;
  const count = bytes.readUInt16LE(end + 10);
  const directoryAt = bytes.readUInt32LE(end + 16);
  const records: Buffer[] = [];
  for (let at = directoryAt, read = 0; read < count; read += 1) {
    const nameEnd = at + RECORD_BYTES + bytes.readUInt16LE(at + 28);
    const record = Buffer.from(bytes.subarray(at, nameEnd));
    const numbers = [24, 20, 42].map((field) => BigInt(record.readUInt32LE(field)));
    for (const field of [24, 20, 42]) record.writeUInt32LE(0xffffffff, field);
    const extra = Buffer.alloc(6 + 4 + 24);
    // Another field comes first.
    extra.writeUInt16LE(0x4246, 0);
    extra.writeUInt16LE(2, 2);
    extra.writeUInt16LE(1, 6);
    extra.writeUInt16LE(24, 8);
    numbers.forEach((number, place) => extra.writeBigUInt64LE(number, 10 + place * 8));
    record.writeUInt16LE(extra.length, 30);
    record.writeUInt16LE(0, 32);
    records.push(record, extra);
    at = nameEnd + bytes.readUInt16LE(at + 30) + bytes.readUInt16LE(at + 32);
  }
  const directory = Buffer.concat(records);
  const large = Buffer.alloc(56);
  large.writeUInt32LE(0x06064b50, 0);
  large.writeBigUInt64LE(BigInt(count), 32);
  large.writeBigUInt64LE(BigInt(directory.length), 40);
  large.writeBigUInt64LE(BigInt(directoryAt), 48);
  const locator = Buffer.alloc(20);
  locator.writeUInt32LE(0x07064b50, 0);
  locator.writeBigUInt64LE(BigInt(directoryAt + directory.length), 8);
  const last = Buffer.from(bytes.subarray(end));
  last.writeUInt16LE(0xffff, 10);
  last.writeUInt32LE(0xffffffff, 12);
  last.writeUInt32LE(0xffffffff, 16);
  return Uint8Array.from(Buffer.concat([bytes.subarray(0, directoryAt), directory, large, locator, last]));
}
