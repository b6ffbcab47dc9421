/** Code points that fonts draw as nothing, as ranges. Spaces and line breaks are not included. */
const RANGES: readonly (readonly [number, number])[] = [
  [0xad, 0xad],
  [0x34f, 0x34f],
  [0x61c, 0x61c],
  [0x115f, 0x1160],
  [0x17b4, 0x17b5],
  [0x180b, 0x180f],
  [0x200b, 0x200f],
  [0x202a, 0x202e],
  [0x2060, 0x206f],
  [0x3164, 0x3164],
  [0xfe00, 0xfe0f],
  [0xfeff, 0xfeff],
  [0xffa0, 0xffa0],
  [0xfff0, 0xfffb],
  [0x1_bca0, 0x1_bca3],
  [0x1_d173, 0x1_d17a],
  [0xe_0000, 0xe_0fff],
];

/** Whether a code point is drawn as nothing, and can therefore hide text from a person. */
export function isInvisible(point: number): boolean {
  if (point < 0xad) return false;
  return RANGES.some(([first, last]) => point >= first && point <= last);
}

export const isTag = (point: number): boolean => point >= 0xe_0000 && point <= 0xe_007f;

export const isBidirectionalControl = (point: number): boolean =>
  (point >= 0x202a && point <= 0x202e) || (point >= 0x2066 && point <= 0x2069);

/** LEFT-TO-RIGHT MARK, RIGHT-TO-LEFT MARK and ARABIC LETTER MARK. */
export const isDirectionMark = (point: number): boolean =>
  point === 0x200e || point === 0x200f || point === 0x61c;

export const isVariationSelector = (point: number): boolean =>
  (point >= 0xfe00 && point <= 0xfe0f) || (point >= 0xe_0100 && point <= 0xe_01ef);

/** Letters that are written from right to left: Hebrew, Arabic, Syriac, Thaana, N'Ko and their extensions. */
export const isRightToLeft = (point: number): boolean =>
  (point >= 0x590 && point <= 0x8ff && point !== 0x61c) ||
  (point >= 0xfb1d && point <= 0xfdff) ||
  (point >= 0xfe70 && point <= 0xfefc) ||
  (point >= 0x1_0800 && point <= 0x1_0fff) ||
  (point >= 0x1_e800 && point <= 0x1_efff);

/** Letters of scripts in which joiners change the form of a letter: Arabic, Indic, Mongolian and other scripts of Asia. */
export const isJoiningScript = (point: number): boolean =>
  isRightToLeft(point) ||
  (point >= 0x900 && point <= 0x109f) ||
  (point >= 0x1780 && point <= 0x18af) ||
  (point >= 0x1_1000 && point <= 0x1_1fff);
