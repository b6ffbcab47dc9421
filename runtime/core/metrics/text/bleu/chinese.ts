/**
 * What sacrebleu's tokenizer `zh` takes for a Chinese character. Its list means two blocks beyond U+FFFF but writes them with four
 * digits and a stray fifth, so what it compares with are U+2001 to U+2A6D and U+2F81 to U+2FA1, arrows and mathematics among them,
 * and no character beyond U+FFFF is Chinese. The scores are to be equal to its scores, so this list says the same.
 */
const BLOCKS: readonly (readonly [first: number, last: number])[] = [
  // Punctuation, arrows, mathematics, box drawing: by that mistake.
  [0x2001, 0x2a6d],
  // Radicals, and how characters are composed.
  [0x2e80, 0x2fdf],
  [0x2ff0, 0x303f],
  // Bopomofo and strokes.
  [0x3100, 0x312f],
  [0x31a0, 0x31bf],
  [0x31c0, 0x31ef],
  // Enclosed letters, months, squared units.
  [0x3200, 0x33ff],
  // The characters themselves.
  [0x3400, 0x4db5],
  [0x4e00, 0x9fbb],
  [0xf900, 0xfa2d],
  [0xfa30, 0xfa6a],
  [0xfa70, 0xfad9],
  // Vertical, compatibility, half and full width forms.
  [0xfe10, 0xfe1f],
  [0xfe30, 0xfe4f],
  [0xff00, 0xffef],
];

export function isChinese(character: string): boolean {
  const code = character.codePointAt(0) ?? 0;
  return BLOCKS.some(([first, last]) => code >= first && code <= last);
}
