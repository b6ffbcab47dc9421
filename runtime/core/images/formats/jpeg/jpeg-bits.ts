import { damaged } from '../damaged.ts';

/** A table of Huffman codes: for each length, the largest code and the position of the values. */
export interface HuffmanTable {
  /** The largest code of each length, from 1 to 16 bits; -1 if there is none. */
  readonly largest: Int32Array;
  /** What is added to a code of each length to get the position of its value. */
  readonly offsets: Int32Array;
  readonly values: Uint8Array;
  /** The number of codes of each length. */
  readonly counts: Uint8Array;
}

const MAX_BITS = 16;

export function huffmanTable(counts: Uint8Array, values: Uint8Array): HuffmanTable {
  const largest = new Int32Array(MAX_BITS + 1).fill(-1);
  const offsets = new Int32Array(MAX_BITS + 1);
  let code = 0;
  let position = 0;
  for (let bits = 1; bits <= MAX_BITS; bits += 1) {
    const count = counts[bits - 1] ?? 0;
    offsets[bits] = position - code;
    position += count;
    code += count;
    if (count > 0) largest[bits] = code - 1;
    if (code > 1 << bits) throw damaged('jpeg', 'it has more Huffman codes than there can be');
    code *= 2;
  }
  return { largest, offsets, values, counts };
}

/**
 * Bytes after the end of the data that can be read. Complete data need none of them, but without data, each scan of a file of
 * a few bytes would take seconds.
 */
const MAX_MISSING_BYTES = 8;

/** Reads bits of compressed data. */
export class JpegBits {
  readonly #bytes: Uint8Array;
  #at: number;
  #buffer = 0;
  #count = 0;
  #missing = 0;

  constructor(bytes: Uint8Array, at: number) {
    this.#bytes = bytes;
    this.#at = at;
  }

  /** The position after the data that have been read. */
  get at(): number {
    return this.#at;
  }

  bit(): number {
    if (this.#count === 0) {
      this.#buffer = this.#nextByte();
      this.#count = 8;
    }
    this.#count -= 1;
    return (this.#buffer >> this.#count) & 1;
  }

  bits(count: number): number {
    let value = 0;
    for (let left = count; left > 0; left -= 1) value = (value << 1) | this.bit();
    return value;
  }

  /** A number whose first bit states its sign. */
  signed(count: number): number {
    if (count === 0) return 0;
    const value = this.bits(count);
    return value < 1 << (count - 1) ? value - (1 << count) + 1 : value;
  }

  value(table: HuffmanTable): number {
    let code = 0;
    for (let bits = 1; bits <= MAX_BITS; bits += 1) {
      code = (code << 1) | this.bit();
      if (code <= (table.largest[bits] ?? 0)) return table.values[code + (table.offsets[bits] ?? 0)] ?? 0;
    }
    throw damaged('jpeg', 'its data contain an undefined code');
  }

  /** Moves behind the next marker if it is a restart. */
  restart(): void {
    this.#count = 0;
    const at = this.#bytes.indexOf(0xff, this.#at);
    const marker = at === -1 ? 0 : (this.#bytes[at + 1] ?? 0);
    if (marker >= 0xd0 && marker <= 0xd7) this.#at = at + 2;
  }

  #nextByte(): number {
    const byte = this.#bytes[this.#at];
    if (byte === undefined) return this.#noByte();
    if (byte !== 0xff) {
      this.#at += 1;
      return byte;
    }
    // A zero follows bytes with the value of a marker; anything else is a marker, which ends the data.
    if (this.#bytes[this.#at + 1] !== 0) return this.#noByte();
    this.#at += 2;
    return 0xff;
  }

  /** The bits after the end of the data are 0, as in libjpeg. */
  #noByte(): number {
    this.#missing += 1;
    if (this.#missing > MAX_MISSING_BYTES) throw damaged('jpeg', 'the data of a scan end too early');
    return 0;
  }
}
