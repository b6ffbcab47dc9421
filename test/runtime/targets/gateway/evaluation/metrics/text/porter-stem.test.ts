import { expect, test } from 'vitest';
import { stem } from '#gateway/evaluation/metrics/text/porter-stem.ts';
import { readGoldenTexts } from './golden-texts.ts';

test("stems match NLTK's Porter stemmer", () => {
  const { stems } = readGoldenTexts();
  expect(stems.length).toBeGreaterThan(2000);
  const found = stems.map((line) => {
    const [word = ''] = line.split(' ');
    return `${word} ${stem(word)}`;
  });
  expect(found).toEqual(stems);
});

test('a long run of one letter is stemmed quickly', () => {
  expect(stem(`${'y'.repeat(100_000)}ing`)).toHaveLength(100_000);
});
