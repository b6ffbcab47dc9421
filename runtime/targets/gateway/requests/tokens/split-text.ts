import { createClassifier, LETTER, LOWER, NEWLINE, NUMBER, SPACE, UPPER } from './character-classes.ts';

/** A text as code points in UTF-8, with what each is. */
export interface ClassedText {
  /** The UTF-8 bytes. */
  readonly bytes: Uint8Array;
  /** Where each character starts, and the end. */
  readonly starts: Uint32Array;
  readonly classes: Uint8Array;
  readonly length: number;
}

/** Finds the end of the piece that starts at a character. Encodings merge bytes within a piece only. */
export type NextPiece = (text: ClassedText, at: number) => number;

const classify = createClassifier();
const ASCII = Uint8Array.from({ length: 128 }, (_, code) => classify(code));
const scratch = { bytes: new Uint8Array(0), starts: new Uint32Array(0), classes: new Uint8Array(0) };
const encoder = new TextEncoder();

/** Reads a text. The result is good until the next call. */
export function classText(text: string): ClassedText {
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

/**
 * cl100k_base: `S|X?\p{L}+|\p{N}{1,3}| ?P+[\r\n]*|\s+$|\s*[\r\n]|\s+(?!\S)|\s`, with the names of above.
 */
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
  // What is both upper and lower case was taken as upper; the last such character can be the lower one.
  while (at > from && ((classes[at - 1] as number) & LOWER) === 0) at -= 1;
  return at > from ? at : 0;
}

/** The end of `U+L*` where `U*L+` does not match, so that L is empty. */
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

/** The end of white space: after its last newline, before the last space in front of a word, or the whole of it. */
function spacesEnd(text: ClassedText, at: number): number {
  const { classes, length } = text;
  const end = runEnd(text, at, SPACE, length);
  for (let last = end; last > at; last -= 1) if ((classes[last - 1] as number) & NEWLINE) return last;
  return end === length || end - at < 2 ? Math.max(end, at + 1) : end - 1;
}

/** The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d` in any case; 0 without one. */
function suffixLength(text: ClassedText, at: number): number {
  if (byteAt(text, at) !== APOSTROPHE || at + 1 >= text.length) return 0;
  const [one, two] = [byteAt(text, at + 1) | BLANK, at + 2 < text.length ? byteAt(text, at + 2) | BLANK : 0];
  const letters = String.fromCharCode(one);
  if ('stmd'.includes(letters)) return 2;
  return ['re', 've', 'll'].includes(letters + String.fromCharCode(two)) ? 3 : 0;
}

const byteAt = ({ bytes, starts }: ClassedText, at: number): number => bytes[starts[at] as number] as number;
