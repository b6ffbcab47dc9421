import { damaged } from './damaged.ts';

const MAX_CODES = 4096;
const MAX_BITS = 12;

/**
 * Decompresses the data of a GIF image (LZW) to `count` indexes of colors. The data are split into blocks
 * that start with their length.
 */
export function gifIndexes(bytes: Uint8Array, start: number, indexBits: number, count: number): Uint8Array {
  if (indexBits < 1 || indexBits >= MAX_BITS) {
    throw damaged('gif', `its colors have ${indexBits} bits, but 1 to 11 are allowed`);
  }
  const clear = 1 << indexBits;
  const end = clear + 1;
  const prefixes = new Uint16Array(MAX_CODES);
  const suffixes = new Uint8Array(MAX_CODES);
  const lengths = new Uint16Array(MAX_CODES);
  for (let index = 0; index < clear; index += 1) {
    suffixes[index] = index;
    lengths[index] = 1;
  }
  const result = new Uint8Array(count);
  const codes = new CodeReader(bytes, start);
  let bits = indexBits + 1;
  let next = end + 1;
  let previous = -1;
  let filled = 0;
  while (filled < count) {
    const code = codes.read(bits);
    if (code === -1 || code === end) {
      throw damaged('gif', `its data end after ${filled} of ${count} pixels`);
    }
    if (code === clear) {
      bits = indexBits + 1;
      next = end + 1;
      previous = -1;
      continue;
    }
    if (code > next || (code === next && previous === -1)) {
      throw damaged('gif', `its data contain the undefined code ${code}`);
    }
    // The code that is defined next repeats the first index of the previous string.
    const known = code === next ? previous : code;
    const length = (lengths[known] ?? 0) + (code === next ? 1 : 0);
    const first = writeString(result, filled, known, lengths, prefixes, suffixes);
    if (code === next) result[filled + length - 1] = first;
    filled += length;
    if (previous !== -1 && next < MAX_CODES) {
      prefixes[next] = previous;
      suffixes[next] = first;
      lengths[next] = (lengths[previous] ?? 0) + 1;
      next += 1;
      if (next === 1 << bits && bits < MAX_BITS) bits += 1;
    }
    previous = code;
  }
  return result;
}

/** Writes the string of a code, which is stored from its end, and returns its first index. */
function writeString(
  result: Uint8Array,
  start: number,
  code: number,
  lengths: Uint16Array,
  prefixes: Uint16Array,
  suffixes: Uint8Array,
): number {
  let at = code;
  for (let to = start + (lengths[code] ?? 0) - 1; to > start; to -= 1) {
    // Positions after the end of the image are ignored.
    result[to] = suffixes[at] ?? 0;
    at = prefixes[at] ?? 0;
  }
  result[start] = suffixes[at] ?? 0;
  return suffixes[at] ?? 0;
}

/** Reads codes of varying length, the lowest bit first. */
class CodeReader {
  readonly #bytes: Uint8Array;
  #at: number;
  #leftInBlock = 0;
  #buffer = 0;
  #buffered = 0;

  constructor(bytes: Uint8Array, start: number) {
    this.#bytes = bytes;
    this.#at = start;
  }

  /** The next code, or -1 at the end of the data. */
  read(bits: number): number {
    while (this.#buffered < bits) {
      if (this.#leftInBlock === 0) {
        this.#leftInBlock = this.#bytes[this.#at] ?? 0;
        this.#at += 1;
        if (this.#leftInBlock === 0) return -1;
      }
      const byte = this.#bytes[this.#at];
      if (byte === undefined) return -1;
      this.#buffer |= byte << this.#buffered;
      this.#buffered += 8;
      this.#at += 1;
      this.#leftInBlock -= 1;
    }
    const code = this.#buffer & ((1 << bits) - 1);
    this.#buffer >>= bits;
    this.#buffered -= bits;
    return code;
  }
}
