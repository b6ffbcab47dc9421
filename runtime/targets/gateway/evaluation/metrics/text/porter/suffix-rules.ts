import { measure } from './letters.ts';

type Applies = (stem: string) => boolean;
/** A suffix, its replacement, and a condition on the stem. */
type SuffixRule = readonly [suffix: string, replacement: string, applies: Applies];

/** The first rule whose suffix matches decides, even if its condition fails; later rules are not tried. */
export function applyRule(word: string, rules: readonly SuffixRule[]): string {
  const rule = rules.find(([suffix]) => word.endsWith(suffix));
  if (rule === undefined) return word;
  const [suffix, replacement, applies] = rule;
  const stem = word.slice(0, word.length - suffix.length);
  return applies(stem) ? stem + replacement : word;
}

const always: Applies = () => true;
const isLong: Applies = (stem) => measure(stem) > 0;
const isLonger: Applies = (stem) => measure(stem) > 1;

/** Written as `suffix:replacement`. */
const table = (applies: Applies, pairs: string): SuffixRule[] =>
  pairs.split(' ').map((pair) => {
    const [suffix = '', replacement = ''] = pair.split(':');
    return [suffix, replacement, applies];
  });

export const PLURALS: readonly SuffixRule[] = table(always, 'sses:ss ies:i ss:ss s:');

/** After "-ed" and "-ing" these need their "e" back. */
export const CUT_STEMS: readonly SuffixRule[] = table(always, 'at:ate bl:ble iz:ize');

export const DOUBLE_SUFFIXES: readonly SuffixRule[] = [
  ...table(
    isLong,
    'ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate ' +
      'alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful',
  ),
  // The "l" counts as part of the stem, so that "geologi" is long enough.
  ['logi', 'log', (stem) => isLong(`${stem}l`)],
];

export const ADJECTIVES: readonly SuffixRule[] = table(
  isLong,
  'icate:ic ative: alize:al iciti:ic ical:ic ful: ness:',
);

export const SUFFIXES: readonly SuffixRule[] = [
  ...table(isLonger, 'al: ance: ence: er: ic: able: ible: ant: ement: ment: ent:'),
  ['ion', '', (stem) => isLonger(stem) && /[st]$/.test(stem)],
  ...table(isLonger, 'ou: ism: ate: iti: ous: ive: ize:'),
];
