import { expect, test } from 'vitest';
import { joinPair, planInstruction } from '#core/model/pair-prompt.ts';

const ONE = {
  first: 'I: default\nQ: {query}\nD: {document}',
  instructed: 'I: {instruction}\nQ: {query}\nD: {document}',
};
const TWO = { first: 'A: {query}', second: 'B: {document}' };

test('a pair becomes one text, or two texts', () => {
  expect(joinPair(ONE, { query: 'q', document: 'd' })).toEqual({ text: 'I: default\nQ: q\nD: d' });
  expect(joinPair(ONE, { query: 'q', document: 'd', instruction: 'i' })).toEqual({
    text: 'I: i\nQ: q\nD: d',
  });
  expect(joinPair(TWO, { query: 'q', document: 'd' })).toEqual({ text: 'A: q', pair: 'B: d' });
});

test('texts that look like places or replacement patterns remain unchanged', () => {
  const values = { query: '{document} $&', document: '{query} {instruction} $1', instruction: '{query}' };
  expect(joinPair(ONE, values)).toEqual({
    text: 'I: {query}\nQ: {document} $&\nD: {query} {instruction} $1',
  });
  expect(joinPair(TWO, values)).toEqual({ text: 'A: {document} $&', pair: 'B: {query} {instruction} $1' });
});

test('an instruction requires a prompt with a place for it', () => {
  expect(planInstruction(ONE, 'i')).toBe('i');
  expect(planInstruction(undefined, undefined)).toBeUndefined();
  expect(planInstruction(TWO, null)).toBeUndefined();
  for (const prompt of [undefined, TWO])
    expect(() => planInstruction(prompt, 'i')).toThrow(
      'instruction requires a reranker whose prompt contains an instruction, such as Qwen3-Reranker, which this model is not. Remove it.',
    );
  expect(() => planInstruction(ONE, ' \n')).toThrow('instruction must not be empty');
  expect(() => planInstruction(ONE, 'é'.repeat(8193))).toThrow('at most 8192 characters, not 8193');
});
