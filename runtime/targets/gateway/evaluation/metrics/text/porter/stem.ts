import { codePoints } from '#core/text/code-points.ts';
import { endsInDoubleConsonant, endsShort, hasVowel, measure, shapeOf } from './letters.ts';
import { ADJECTIVES, applyRule, CUT_STEMS, DOUBLE_SUFFIXES, PLURALS, SUFFIXES } from './suffix-rules.ts';

/**
 * Stems an English word with Porter's algorithm (1980, https://tartarus.org/martin/PorterStemmer/) and NLTK's changes, because
 * ROUGE and METEOR are computed with NLTK.
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

/** "dies" is "die", "flies" is "fli". */
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

/** "happy" is "happi", "enjoy" and "by" stay. */
function replaceY(word: string): string {
  const cut = word.slice(0, -1);
  return word.endsWith('y') && codePoints(cut) > 1 && shapeOf(cut).endsWith('c') ? `${cut}i` : word;
}

/** "-ally" loses its adverb first, and the adjective then its own suffix. */
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
