import { configError } from '#contract/errors.ts';

/**
 * Reads little-endian numbers and strings from an ELF file. Throws if a position is beyond the end,
 * because the file can be damaged.
 */
export interface ElfBytes {
  readonly u16: (at: number) => number;
  readonly u32: (at: number) => number;
  readonly u64: (at: number) => number;
  /** A string that ends with a null byte. */
  readonly text: (at: number) => string;
  readonly setU8: (at: number, value: number) => void;
  readonly setU16: (at: number, value: number) => void;
  readonly setU32: (at: number, value: number) => void;
  readonly setU64: (at: number, value: number) => void;
}

export function elfBytes(file: Uint8Array): ElfBytes {
  const view = new DataView(file.buffer, file.byteOffset, file.byteLength);
  const inside = (at: number, length: number): number => {
    if (Number.isSafeInteger(at) && at >= 0 && at + length <= file.length) return at;
    throw configError(
      `The ELF file is damaged: it refers to offset ${at}, but has ${file.length} bytes. Download the Node binary again.`,
    );
  };
  return {
    u16: (at) => view.getUint16(inside(at, 2), true),
    u32: (at) => view.getUint32(inside(at, 4), true),
    u64: (at) => Number(view.getBigUint64(inside(at, 8), true)),
    text(at) {
      const end = file.indexOf(0, inside(at, 1));
      return new TextDecoder().decode(file.subarray(at, end < 0 ? file.length : end));
    },
    setU8: (at, value) => view.setUint8(inside(at, 1), value),
    setU16: (at, value) => view.setUint16(inside(at, 2), value, true),
    setU32: (at, value) => view.setUint32(inside(at, 4), value, true),
    setU64: (at, value) => view.setBigUint64(inside(at, 8), BigInt(value), true),
  };
}
