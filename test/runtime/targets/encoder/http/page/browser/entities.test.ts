import { expect, test } from 'vitest';
import { piecesOf, type Token } from '#encoder/http/page/browser/entities.ts';

const token = (label: string, start: number, end: number): Token => ({
  label,
  score: 1,
  token_info: { token: '', token_id: 0, start, end },
});
/** Entities in brackets, as [text type]. */
const shown = (text: string, ...tokens: readonly Token[]): string =>
  piecesOf(text, tokens)
    .map(({ text: piece, type }) => (type === undefined ? piece : `[${piece} ${type}]`))
    .join('');

test('adjacent tokens with the same type form one entity', () => {
  const tokens = [token('B-PER', 0, 4), token('I-PER', 5, 10), token('O', 11, 13), token('B-LOC', 14, 19)];
  expect(shown('Anna Smith in Paris.', ...tokens)).toBe('[Anna Smith PER] in [Paris LOC].');
});

test('B- starts a new entity, even after an entity of the same type', () => {
  expect(shown('Rome Paris', token('B-LOC', 0, 4), token('B-LOC', 5, 10))).toBe('[Rome LOC] [Paris LOC]');
});

test('I- continues an entity or starts one, and does not join different types', () => {
  expect(shown('Rome', token('B-LOC', 0, 1), token('I-LOC', 1, 4))).toBe('[Rome LOC]');
  expect(shown('in Rome', token('O', 0, 2), token('I-LOC', 3, 7))).toBe('in [Rome LOC]');
  expect(shown('Rome Ltd', token('B-LOC', 0, 4), token('I-ORG', 5, 8))).toBe('[Rome LOC] [Ltd ORG]');
});

test('an O token between two tokens of the same type separates their entities', () => {
  const tokens = [token('B-LOC', 0, 4), token('O', 5, 8), token('I-LOC', 9, 14)];
  expect(shown('Rome and Paris', ...tokens)).toBe('[Rome LOC] and [Paris LOC]');
});

test('labels without a prefix are also entities', () => {
  expect(shown('ab cd', token('NOUN', 0, 2), token('VERB', 3, 5))).toBe('[ab NOUN] [cd VERB]');
});

test('offsets count code points, not UTF-16 units', () => {
  expect(shown('😀👩‍🚀 Anna 🎉', token('B-PER', 5, 9))).toBe('😀👩‍🚀 [Anna PER] 🎉');
  expect(shown('cafe\u0301 Rome', token('B-LOC', 6, 10))).toBe('cafe\u0301 [Rome LOC]');
});

test('the whole text is shown, regardless of the tokens', () => {
  expect(shown('no tokens')).toBe('no tokens');
  expect(shown('', token('O', 0, 0))).toBe('');
  const tokens = [token('B-LOC', 0, 4), token('B-ORG', 2, 6), token('B-PER', 3, 3), token('B-PER', 90, 95)];
  const pieces = piecesOf('overlapping', tokens);
  expect(pieces.map(({ text }) => text).join('')).toBe('overlapping');
});
