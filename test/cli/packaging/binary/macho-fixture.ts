export const LINKEDIT_OFFSET = 0x8000;
/** The end of the string table, and thus of the code. */
export const CODE_END = LINKEDIT_OFFSET + 0x230;

export interface MachoOptions {
  signature?: { offset: number; size: number };
  padding?: number;
  fileType?: number;
  linkEditName?: string;
  linkEditAddress?: number;
}

/** A Mach-O file with __PAGEZERO, __TEXT (one section), __LINKEDIT and a symbol table that ends with its strings. */
export function macho(options: MachoOptions): Uint8Array {
  const { signature, padding = 512, fileType = 2, linkEditName = '__LINKEDIT' } = options;
  const fileSize = CODE_END + (signature?.size ?? 0);
  const commands = [
    segment('__PAGEZERO', { address: 0, memory: 0x1000, offset: 0, size: 0 }),
    segment('__TEXT', { address: 0x10_0000, memory: 0x8000, offset: 0, size: 0x8000 }, 1),
    segment(linkEditName, {
      address: options.linkEditAddress ?? 0x10_8000,
      memory: 0x4000,
      offset: LINKEDIT_OFFSET,
      size: fileSize - LINKEDIT_OFFSET,
    }),
    words([0x2, 24, LINKEDIT_OFFSET, 0, LINKEDIT_OFFSET + 0x200, 0x228 - 0x200]),
    ...(signature ? [words([0x1d, 16, signature.offset, signature.size])] : []),
  ];
  const length = commands.reduce((sum, command) => sum + command.length, 0);
  const text = commands[1];
  // The section's data offset, 48 bytes into the section header, comes after the padding.
  if (text) new DataView(text.buffer).setUint32(72 + 48, 32 + length + padding, true);

  const file = Uint8Array.from({ length: fileSize }, (_, index) => (index * 31) % 256);
  file.fill(0, 32 + length, 32 + length + padding);
  file.set(words([0xfeedfacf, 0x0100000c, 0, fileType, commands.length, length, 0, 0]));
  let at = 32;
  for (const command of commands) {
    file.set(command, at);
    at += command.length;
  }
  return file;
}

function segment(
  name: string,
  place: { address: number; memory: number; offset: number; size: number },
  sections = 0,
): Uint8Array {
  const bytes = new Uint8Array(72 + sections * 80);
  const view = new DataView(bytes.buffer);
  bytes.set(words([0x19, bytes.length]));
  bytes.set(new TextEncoder().encode(name), 8);
  [place.address, place.memory, place.offset, place.size].forEach((value, index) => {
    view.setBigUint64(24 + index * 8, BigInt(value), true);
  });
  view.setUint32(64, sections, true);
  if (sections > 0) view.setBigUint64(72 + 40, 16n, true);
  return bytes;
}

function words(values: readonly number[]): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Uint32Array.from(values).buffer);
}

/** The load commands, parsed without the project's own code. */
export function parseMacho(file: Uint8Array) {
  const buffer = Buffer.from(file.buffer, file.byteOffset, file.byteLength);
  const header = { count: buffer.readUInt32LE(16), length: buffer.readUInt32LE(20) };
  let at = 32;
  const commands = Array.from({ length: header.count }, () => {
    const length = buffer.readUInt32LE(at + 4);
    const isSegment = buffer.readUInt32LE(at) === 0x19;
    const command = {
      type: buffer.readUInt32LE(at),
      length,
      words: Array.from({ length: length / 4 }, (_, index) => buffer.readUInt32LE(at + index * 4)),
      name: isSegment ? buffer.toString('latin1', at + 8, at + 24).replace(/\0+$/, '') : '',
      memorySize: isSegment ? Number(buffer.readBigUInt64LE(at + 32)) : 0,
      fileOffset: isSegment ? Number(buffer.readBigUInt64LE(at + 40)) : 0,
      fileSize: isSegment ? Number(buffer.readBigUInt64LE(at + 48)) : 0,
    };
    at += length;
    return command;
  });
  return { header, commands };
}
