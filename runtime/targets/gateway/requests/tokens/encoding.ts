/** Counts tokens in the same way as the models that use this encoding. */
export interface Encoding {
  readonly count: (text: string) => number;
}

/**
 * Pieces that are longer than this, for example in a language without spaces, are split, so that the time
 * for merging does not grow quadratically.
 */
const MAX_PIECE_BYTES = 512;

/** Byte pair encoding: a piece's bytes are merged pair by pair, lowest rank first. */
export function createEncoding(ranks: Ranks, next: NextPiece): Encoding {
  const merge = createMerge(ranks);
  return {
    count(text) {
      const classed = classText(text);
      const { bytes, starts, length } = classed;
      let tokens = 0;
      for (let at = 0; at < length;) {
        const end = next(classed, at);
        const [from, to] = [starts[at] ?? 0, starts[end] ?? 0];
        tokens += to - from === 1 || ranks.find(bytes, from, to) !== -1 ? 1 : countPiece(bytes, from, to);
        at = end;
      }
      return tokens;
    },
  };

  function countPiece(bytes: Uint8Array, from: number, to: number): number {
    let tokens = 0;
    let start = from;
    while (to - start > MAX_PIECE_BYTES) {
      let cut = start + MAX_PIECE_BYTES;
      // Never splits a character.
      while (((bytes[cut] ?? 0) & 0xc0) === 0x80) cut -= 1;
      tokens += merge(bytes, start, cut);
      start = cut;
    }
    return tokens + merge(bytes, start, to);
  }
}

/**
 * Positions in a piece have 10 bits, so that a rank and a position fit into one number, which sorts by rank
 * and then from left to right.
 */
const POSITIONS = 1024;

/**
 * Merges with a heap of pairs, in which pairs whose parts have changed since they were added are skipped.
 * The arrays are reused between calls.
 */
function createMerge({ find }: Ranks): (bytes: Uint8Array, from: number, to: number) => number {
  /**
   * For each part, identified by the position of its first byte: the next part, the previous part, and the
   * rank of the pair that it forms with the next part.
   */
  const next = new Int32Array(POSITIONS);
  const previous = new Int32Array(POSITIONS);
  const pairs = new Int32Array(POSITIONS);
  const heap = new Float64Array(4 * POSITIONS);
  let size = 0;

  const push = (key: number): void => {
    let at = size;
    size += 1;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = heap[parent] as number;
      if (above <= key) break;
      heap[at] = above;
      at = parent;
    }
    heap[at] = key;
  };
  /** Removes and returns the lowest key; -1 if the heap is empty. */
  const pop = (): number => {
    if (size === 0) return -1;
    const top = heap[0] as number;
    size -= 1;
    const key = heap[size] as number;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= size) break;
      if (child + 1 < size && (heap[child + 1] as number) < (heap[child] as number)) child += 1;
      const below = heap[child] as number;
      if (below >= key) break;
      heap[at] = below;
      at = child;
    }
    heap[at] = key;
    return top;
  };

  /**
   * Treats a character that is a token as a single part. This is only done for Chinese, Japanese and
   * Korean, where most characters are tokens whose bytes would be merged first anyway; pieces in these
   * scripts are long, so this saves most of the work. In other scripts, tokens can end within a character,
   * so it would change the counts.
   */
  const characterEnd = (bytes: Uint8Array, from: number, part: number): number => {
    const first = bytes[from + part] as number;
    if (first < 0xe3 || first > 0xef) return part + 1;
    const end = part + 3;
    return find(bytes, from + part, from + end) === -1 ? part + 1 : end;
  };

  return (bytes, from, to) => {
    const length = to - from;
    const offer = (part: number): void => {
      const second = next[part] as number;
      const rank = second >= length ? -1 : find(bytes, from + part, from + (next[second] as number));
      pairs[part] = rank;
      if (rank !== -1) push(rank * POSITIONS + part);
    };
    size = 0;
    let parts = 0;
    for (let part = 0, before = -1; part < length; parts += 1) {
      const end = characterEnd(bytes, from, part);
      next[part] = end;
      previous[part] = before;
      before = part;
      part = end;
    }
    for (let part = 0; part < length; part = next[part] as number) offer(part);
    for (let key = pop(); key !== -1; key = pop()) {
      const part = key % POSITIONS;
      if (pairs[part] !== (key - part) / POSITIONS) continue;
      const second = next[part] as number;
      const after = next[second] as number;
      next[part] = after;
      pairs[second] = -1;
      if (after < length) previous[after] = part;
      parts -= 1;
      offer(part);
      const before = previous[part] as number;
      if (before >= 0) offer(before);
    }
    return parts;
  };
}

/** An encoding's byte sequences. A sequence's rank is its position in the list and also its token ID. */
interface Ranks {
  /** The rank of the bytes from `start` to `end`; -1 if they are not a token. */
  readonly find: (bytes: Uint8Array, start: number, end: number) => number;
}

/** At least two slots per token, so that most lookups need a single comparison. */
const SLOTS_PER_TOKEN = 2;

/** Ranks are less than 262,144, and tokens are shorter than 256 bytes. */
const RANK_BITS = 18;

const RANK_MASK = 2 ** RANK_BITS - 1;

/** Number of tokens that are read without a pause, which takes a few milliseconds. */
const TOKENS_AT_ONCE = 20_000;

/**
 * Reads a token list: the number of tokens (4 bytes, little-endian), the length of each token, and then the
 * bytes of all tokens. Yields between parts of the list so that requests can be handled in the meantime.
 *
 * The table contains each token's hash and length instead of its bytes, so a lookup reads one cache line
 * instead of four. About one in 100,000 sequences that are not tokens is mistaken for a token, which is
 * negligible for an estimate.
 */
export async function readRanks(data: Uint8Array, pause: () => Promise<void>): Promise<Ranks> {
  const count = new DataView(data.buffer, data.byteOffset).getUint32(0, true);
  const lengths = data.subarray(4, 4 + count);
  const bytes = data.subarray(4 + count);
  const mask = 2 ** Math.ceil(Math.log2(count * SLOTS_PER_TOKEN)) - 1;
  /**
   * Each slot contains a hash, and a length combined with a rank. 0 marks an empty slot, because tokens
   * have at least one byte.
   */
  const table = new Int32Array(2 * (mask + 1));
  for (let rank = 0, end = 0; rank < count; rank += 1) {
    const start = end;
    end += lengths[rank] as number;
    const hash = hashOf(bytes, start, end);
    let slot = hash & mask;
    while (table[2 * slot + 1] !== 0) slot = (slot + 1) & mask;
    table[2 * slot] = hash;
    table[2 * slot + 1] = rank | ((lengths[rank] as number) << RANK_BITS);
    if (rank % TOKENS_AT_ONCE === TOKENS_AT_ONCE - 1) await pause();
  }
  return {
    find(text, start, end) {
      const hash = hashOf(text, start, end);
      for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
        const entry = table[2 * slot + 1] as number;
        if (entry === 0) return -1;
        if (table[2 * slot] === hash && entry >>> RANK_BITS === end - start) return entry & RANK_MASK;
      }
    },
  };
}

/** FNV-1a, with its high bits mixed into the low ones, which select the slot. */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x81_1c_9d_c5;
  for (let at = start; at < end; at += 1) hash = Math.imul(hash ^ (bytes[at] as number), 0x01_00_01_93);
  return hash ^ (hash >>> 15);
}

/** Character classes that the encodings' patterns distinguish, as bits. */
const UPPER = 1;

const LOWER = 2;

/** A letter without case, or a modifier: in the patterns, it counts as both upper and lower case. */
const MARK = 4;

const LETTER = 8;

const NUMBER = 16;

const SPACE = 32;

const NEWLINE = 64;

const KNOWN = 128;

const classes = (): Uint8Array => new Uint8Array(0x11_00_00);

/**
 * Returns a code point's class. Classes are cached, because most texts contain only a few distinct
 * characters.
 */
function createClassifier(): (codePoint: number) => number {
  const known = classes();
  return (codePoint) => {
    const found = known[codePoint] ?? 0;
    if (found !== 0) return found;
    const bits = classOf(String.fromCodePoint(codePoint)) | KNOWN;
    known[codePoint] = bits;
    return bits;
  };
}

function classOf(character: string): number {
  if (/[\r\n]/.test(character)) return SPACE | NEWLINE;
  if (/\p{White_Space}/u.test(character)) return SPACE;
  if (/\p{N}/u.test(character)) return NUMBER;
  if (/[\p{Lu}\p{Lt}]/u.test(character)) return LETTER | UPPER;
  if (/\p{Ll}/u.test(character)) return LETTER | LOWER;
  if (/\p{L}/u.test(character)) return LETTER | UPPER | LOWER;
  return /\p{M}/u.test(character) ? MARK | UPPER | LOWER : 0;
}

/** A text in UTF-8, with the start and the class of each character. */
interface ClassedText {
  /** The UTF-8 bytes. */
  readonly bytes: Uint8Array;
  /** The position at which each character starts, followed by the end of the text. */
  readonly starts: Uint32Array;
  readonly classes: Uint8Array;
  readonly length: number;
}

/** Finds the end of the piece that starts at a character. Encodings only merge bytes of the same piece. */
export type NextPiece = (text: ClassedText, at: number) => number;

const classify = createClassifier();

const ASCII = Uint8Array.from({ length: 128 }, (_, code) => classify(code));

const scratch = { bytes: new Uint8Array(0), starts: new Uint32Array(0), classes: new Uint8Array(0) };

const encoder = new TextEncoder();

/** Classifies a text's characters. The result is valid until the next call. */
function classText(text: string): ClassedText {
  if (scratch.starts.length <= text.length) {
    const size = Math.max(4096, text.length * 2);
    scratch.bytes = new Uint8Array(size * 3);
    scratch.starts = new Uint32Array(size + 1);
    scratch.classes = new Uint8Array(size);
  }
  const { bytes, starts, classes } = scratch;
  const { written } = encoder.encodeInto(text, bytes);
  let length = 0;
  for (let at = 0; at < written; length += 1) {
    starts[length] = at;
    const first = bytes[at] as number;
    if (first < 0x80) {
      classes[length] = ASCII[first] as number;
      at += 1;
    } else {
      const size = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
      let codePoint = first & (0xff >> (size + 1));
      for (let index = 1; index < size; index += 1)
        codePoint = (codePoint << 6) | ((bytes[at + index] ?? 0) & 0x3f);
      classes[length] = classify(codePoint);
      at += size;
    }
  }
  starts[length] = written;
  return { bytes, starts, classes, length };
}

const APOSTROPHE = 0x27;

const SLASH = 0x2f;

const BLANK = 0x20;

/**
 * o200k_base: `X?U*L+S?|X?U+L*S?|\p{N}{1,3}| ?P+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`, where U and L are upper and lower case, both with
 * letters without case and marks, X is not a letter, number or newline, P also no space, and S is `'s`, `'re` and so on.
 */
export const nextO200k: NextPiece = (text, at) => {
  const { classes, length } = text;
  const first = classes[at] ?? 0;
  const isPrefix = (first & (LETTER | NUMBER | NEWLINE)) === 0;
  const end =
    (isPrefix ? lowerEnd(text, at + 1) : 0) ||
    lowerEnd(text, at) ||
    (isPrefix ? upperEnd(text, at + 1) : 0) ||
    upperEnd(text, at);
  if (end > 0) return end + suffixLength(text, end);
  if (first & NUMBER) return runEnd(text, at, NUMBER, Math.min(length, at + 3));
  const symbols = symbolsEnd(text, at);
  if (symbols > 0) {
    let after = symbols;
    while (after < length && ((classes[after] as number) & NEWLINE || byteAt(text, after) === SLASH))
      after += 1;
    return after;
  }
  return spacesEnd(text, at);
};

/** cl100k_base: `S|X?\p{L}+|\p{N}{1,3}| ?P+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s`, with the same names. */
export const nextCl100k: NextPiece = (text, at) => {
  const { classes, length } = text;
  const suffix = suffixLength(text, at);
  if (suffix > 0) return at + suffix;
  const first = classes[at] ?? 0;
  const from = (first & (LETTER | NUMBER | NEWLINE)) === 0 ? at + 1 : at;
  if (from < length && (classes[from] ?? 0) & LETTER) return runEnd(text, from, LETTER, length);
  if (first & NUMBER) return runEnd(text, at, NUMBER, Math.min(length, at + 3));
  const symbols = symbolsEnd(text, at);
  if (symbols > 0) return runEnd(text, symbols, NEWLINE, length);
  return spacesEnd(text, at);
};

/** The end of `U*L+`; 0 if it does not match. */
function lowerEnd({ classes, length }: ClassedText, from: number): number {
  let at = from;
  while (at < length && (classes[at] as number) & UPPER) at += 1;
  if (at < length && (classes[at] as number) & LOWER) {
    while (at < length && (classes[at] as number) & LOWER) at += 1;
    return at;
  }
  // Characters that count as both upper and lower case were matched by `U*`; the last of them can match
  // `L+` instead.
  while (at > from && ((classes[at - 1] as number) & LOWER) === 0) at -= 1;
  return at > from ? at : 0;
}

/** The end of `U+L*` where `U*L+` does not match, so that `L*` is empty. */
function upperEnd(text: ClassedText, from: number): number {
  const end = runEnd(text, from, UPPER, text.length);
  return end > from ? end : 0;
}

function runEnd({ classes }: ClassedText, from: number, bits: number, limit: number): number {
  let at = from;
  while (at < limit && (classes[at] as number) & bits) at += 1;
  return at;
}

/** The end of ` ?P+`; 0 if it does not match. */
function symbolsEnd(text: ClassedText, at: number): number {
  const { classes, length } = text;
  const from = byteAt(text, at) === BLANK ? at + 1 : at;
  let end = from;
  while (end < length && ((classes[end] as number) & (SPACE | LETTER | NUMBER)) === 0) end += 1;
  return end > from ? end : 0;
}

/**
 * The end of a piece of white space: after the last newline or, if there is none, before the space that
 * precedes a word or at the end of the white space.
 */
function spacesEnd(text: ClassedText, at: number): number {
  const { classes, length } = text;
  const end = runEnd(text, at, SPACE, length);
  for (let last = end; last > at; last -= 1) if ((classes[last - 1] as number) & NEWLINE) return last;
  return end === length || end - at < 2 ? Math.max(end, at + 1) : end - 1;
}

/**
 * The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` in upper or lower case; 0 if there is none.
 */
function suffixLength(text: ClassedText, at: number): number {
  if (byteAt(text, at) !== APOSTROPHE || at + 1 >= text.length) return 0;
  const [one, two] = [byteAt(text, at + 1) | BLANK, at + 2 < text.length ? byteAt(text, at + 2) | BLANK : 0];
  const letters = String.fromCharCode(one);
  if ('stmd'.includes(letters)) return 2;
  return ['re', 've', 'll'].includes(letters + String.fromCharCode(two)) ? 3 : 0;
}

const byteAt = ({ bytes, starts }: ClassedText, at: number): number => bytes[starts[at] as number] as number;
