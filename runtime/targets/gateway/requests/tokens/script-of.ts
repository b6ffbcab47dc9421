/** Groups of scripts whose tokens differ between models in about the same way. */
export type Script = 'latin' | 'cyrillic' | 'arabic' | 'cjk' | 'other';

/** Number of characters that are looked at, spread over the text. */
const LOOKED_AT = 256;
/** A text with at least this share of another script counts as that script, because its tokens outnumber those of Latin words. */
const SHARE = 0.25;

/** The script of a text; mixed texts have the one that most tokens come from. */
export function scriptOf(text: string): Script {
  const counts: Record<Script, number> = { latin: 0, cyrillic: 0, arabic: 0, cjk: 0, other: 0 };
  const step = Math.max(1, Math.floor(text.length / LOOKED_AT));
  let letters = 0;
  for (let at = 0; at < text.length; at += step) {
    const script = scriptAt(text.charCodeAt(at));
    if (script === undefined) continue;
    letters += 1;
    counts[script] += 1;
  }
  // Most texts.
  if (letters === counts.latin) return 'latin';
  const [most] = OTHERS.toSorted((one, other) => counts[other] - counts[one]);
  return most !== undefined && counts[most] >= letters * SHARE && counts[most] > 0 ? most : 'latin';
}

const OTHERS: readonly Script[] = ['cyrillic', 'arabic', 'cjk', 'other'];

/** First code units of the blocks of each script, in order. */
const BLOCKS: readonly (readonly [from: number, script: Script | undefined])[] = [
  [0, undefined],
  [0x41, 'latin'],
  [0x2b0, undefined],
  [0x370, 'cyrillic'],
  [0x530, 'other'],
  [0x590, 'arabic'],
  [0x780, 'other'],
  [0x1100, 'cjk'],
  [0x1200, 'other'],
  [0x1e00, 'latin'],
  [0x2000, undefined],
  [0x2e80, 'cjk'],
  [0xa000, 'other'],
  [0xac00, 'cjk'],
  [0xd800, undefined],
  [0xf900, 'cjk'],
  [0xfb50, 'arabic'],
  [0xff00, undefined],
];

const blockOf = (unit: number): Script | undefined => BLOCKS.findLast(([from]) => unit >= from)?.[1];

/** Looked up, because every request has them. */
const ASCII = Array.from({ length: 128 }, (_, unit) => blockOf(unit));

const scriptAt = (unit: number): Script | undefined => (unit < ASCII.length ? ASCII[unit] : blockOf(unit));
