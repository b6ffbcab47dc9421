/**
 * Ranges that sacrebleu's tokenizer `zh` treats as Chinese. Its list intends two blocks beyond U+FFFF, but writes them with
 * four digits and a stray fifth, so it actually matches U+2001 to U+2A6D and U+2F81 to U+2FA1, including arrows and
 * mathematics, and no character beyond U+FFFF. This list reproduces it, so that scores are equal.
 */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  // Punctuation, arrows, mathematics, box drawing: caused by that mistake.
  [0x2001, 0x2a6d],
  // Radicals and ideographic description characters.
  [0x2e80, 0x2fdf],
  [0x2ff0, 0x303f],
  // Bopomofo and strokes.
  [0x3100, 0x312f],
  [0x31a0, 0x31bf],
  [0x31c0, 0x31ef],
  // Enclosed letters, months, squared units.
  [0x3200, 0x33ff],
  // The ideographs themselves.
  [0x3400, 0x4db5],
  [0x4e00, 0x9fbb],
  [0xf900, 0xfa2d],
  [0xfa30, 0xfa6a],
  [0xfa70, 0xfad9],
  // Vertical, compatibility, half-width and full-width forms.
  [0xfe10, 0xfe1f],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
];

export function isChinese(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return BLOCKS.some(([first, last]) => code >= first && code <= last);
}
