/** Classes of characters that the patterns of encodings distinguish, as bits. */
export const UPPER = 1;
export const LOWER = 2;
/** A letter without case or a modifier: in the patterns it is upper and lower. */
const MARK = 4;
export const LETTER = 8;
export const NUMBER = 16;
export const SPACE = 32;
export const NEWLINE = 64;

const KNOWN = 128;
const classes = (): Uint8Array => new Uint8Array(0x11_00_00);

/** Returns the class of a code point. Classes are looked up once, as most texts have few different characters. */
export function createClassifier(): (codePoint: number) => number {
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
