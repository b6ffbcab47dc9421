import { codePoints } from '#core/text/code-points.ts';

/** Maps a word to `c` for each consonant and `v` for each vowel. A `y` is a vowel after a consonant. */
function shapeOf(word: string): string {
  let shape = '';
  let before = 'v';
  for (const letter of word) {
    const isVowel = VOWELS.includes(letter) || (letter === 'y' && before === 'c');
    before = isVowel ? 'v' : 'c';
    shape += before;
  }
  return shape;
}

const VOWELS = 'aeiou';

/**
 * Porter's "measure": the number of vowel-consonant sequences, roughly the number of syllables that end in a
 * consonant.
 */
const measure = (word: string): number => shapeOf(word).split('vc').length - 1;

const hasVowel = (word: string): boolean => shapeOf(word).includes('v');

/**
 * Whether a word ends in consonant, vowel, consonant, as in "hop" but not in "snow", or consists of a vowel and a consonant.
 */
function endsShort(word: string): boolean {
  const shape = shapeOf(word);
  return shape === 'vc' || (shape.endsWith('cvc') && !/[wxy]$/.test(word));
}

function endsInDoubleConsonant(word: string): boolean {
  const [last, before] = Array.from(word).toReversed();
  return last !== undefined && last === before && shapeOf(word).endsWith('c');
}

type Applies = (stem: string) => boolean;
/** A suffix, its replacement, and a condition on the stem. */
type SuffixRule = readonly [suffix: string, replacement: string, applies: Applies];

/** The first rule whose suffix matches decides, even if its condition fails; later rules are not tried. */
function applyRule(word: string, rules: readonly SuffixRule[]): string {
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

const PLURALS: readonly SuffixRule[] = table(always, 'sses:ss ies:i ss:ss s:');

/** After removing "-ed" or "-ing", these need their "e" back. */
const CUT_STEMS: readonly SuffixRule[] = table(always, 'at:ate bl:ble iz:ize');

const DOUBLE_SUFFIXES: readonly SuffixRule[] = [
  ...table(
    isLong,
    'ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate ' +
      'alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful',
  ),
  // The "l" counts as part of the stem, so that "geologi" is long enough.
  ['logi', 'log', (stem) => isLong(`${stem}l`)],
];

const ADJECTIVES: readonly SuffixRule[] = table(
  isLong,
  'icate:ic ative: alize:al iciti:ic ical:ic ful: ness:',
);

const SUFFIXES: readonly SuffixRule[] = [
  ...table(isLonger, 'al: ance: ence: er: ic: able: ible: ant: ement: ment: ent:'),
  ['ion', '', (stem) => isLonger(stem) && /[st]$/.test(stem)],
  ...table(isLonger, 'ou: ism: ate: iti: ous: ive: ize:'),
];

/**
 * Stems an English word with Porter's algorithm (1980, https://tartarus.org/martin/PorterStemmer/) including
 * NLTK's modifications, because the ROUGE and METEOR reference implementations use NLTK.
 */
export function stem(word: string): string {
  const lower = word.toLowerCase();
  const irregular = IRREGULAR.get(lower);
  if (irregular !== undefined) return irregular;
  if (codePoints(word) <= 2) return lower;
  return STEPS.reduce((rest, step) => step(rest), lower);
}

const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    skies: 'sky',
    sky: 'sky',
    dying: 'die',
    lying: 'lie',
    tying: 'tie',
    news: 'news',
    innings: 'inning',
    inning: 'inning',
    outings: 'outing',
    outing: 'outing',
    cannings: 'canning',
    canning: 'canning',
    howe: 'howe',
    proceed: 'proceed',
    exceed: 'exceed',
    succeed: 'succeed',
  }),
);

const STEPS: readonly ((word: string) => string)[] = [
  cutPlural,
  cutPast,
  replaceY,
  cutDoubleSuffix,
  (word) => applyRule(word, ADJECTIVES),
  (word) => applyRule(word, SUFFIXES),
  cutE,
  (word) => (word.endsWith('ll') && measure(word.slice(0, -1)) > 1 ? word.slice(0, -1) : word),
];

/** "dies" becomes "die", "flies" becomes "fli". */
function cutPlural(word: string): string {
  return word.endsWith('ies') && codePoints(word) === 4 ? word.slice(0, -1) : applyRule(word, PLURALS);
}

function cutPast(word: string): string {
  if (word.endsWith('ied')) return word.slice(0, codePoints(word) === 4 ? -1 : -2);
  if (word.endsWith('eed')) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const suffix = ['ed', 'ing'].find((end) => word.endsWith(end) && hasVowel(word.slice(0, -end.length)));
  return suffix === undefined ? word : completeStem(word.slice(0, -suffix.length));
}

function completeStem(cut: string): string {
  const whole = applyRule(cut, CUT_STEMS);
  if (whole !== cut) return whole;
  if (endsInDoubleConsonant(cut)) return /[lsz]$/.test(cut) ? cut : cut.replace(/.$/su, '');
  return measure(cut) === 1 && endsShort(cut) ? `${cut}e` : cut;
}

/** "happy" becomes "happi"; "enjoy" and "by" stay. */
function replaceY(word: string): string {
  const cut = word.slice(0, -1);
  return word.endsWith('y') && codePoints(cut) > 1 && shapeOf(cut).endsWith('c') ? `${cut}i` : word;
}

/** "-ally" first loses its adverb ending, then the adjective loses its own suffix. */
function cutDoubleSuffix(word: string): string {
  return word.endsWith('alli') && measure(word.slice(0, -4)) > 0
    ? cutDoubleSuffix(word.slice(0, -2))
    : applyRule(word, DOUBLE_SUFFIXES);
}

function cutE(word: string): string {
  if (!word.endsWith('e')) return word;
  const cut = word.slice(0, -1);
  const size = measure(cut);
  return size > 1 || (size === 1 && !endsShort(cut)) ? cut : word;
}
