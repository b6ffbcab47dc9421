/** Maps a word to `c` for each consonant and `v` for each vowel. A `y` is a vowel after a consonant. */
export function shapeOf(word: string): string {
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

/** Porter's "measure": number of vowel-consonant sequences, roughly the number of syllables that end in a consonant. */
export const measure = (word: string): number => shapeOf(word).split('vc').length - 1;

export const hasVowel = (word: string): boolean => shapeOf(word).includes('v');

/**
 * Whether a word ends in consonant, vowel, consonant, as in "hop" but not in "snow", or consists of a vowel and a consonant.
 */
export function endsShort(word: string): boolean {
  const shape = shapeOf(word);
  return shape === 'vc' || (shape.endsWith('cvc') && !/[wxy]$/.test(word));
}

export function endsInDoubleConsonant(word: string): boolean {
  const [last, before] = Array.from(word).toReversed();
  return last !== undefined && last === before && shapeOf(word).endsWith('c');
}
