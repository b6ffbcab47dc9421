import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createPlainEncoder } from '#platform/plain-encoder.ts';
import { FIXTURES } from '../../helpers/paths.ts';

const json = readFileSync(join(FIXTURES, 'models/ner/tokenizer.json'), 'utf8');
const texts = (count: number, text = 'Anna lives in Berlin') =>
  Array.from({ length: count }, () => ({ text }));

/** An encoder that has processed enough texts. */
function ready(maxLength = 64) {
  const encode = createPlainEncoder(json, maxLength);
  encode(texts(17), true);
  return encode;
}

test('the first texts are encoded by the library, so that short runs do not load the vocabulary', () => {
  const encode = createPlainEncoder(json, 64);
  for (let at = 0; at < 16; at += 1) expect(encode(texts(1), true)).toBeUndefined();
  expect(encode(texts(1), true)).toHaveLength(1);
});

test('a result has the same fields as a result from the library', () => {
  const [one, other] = ready()([{ text: 'Anna' }, { text: 'in Berlin' }], true) ?? [];
  expect(one).toMatchObject({ truncated: false, typeIds: undefined, details: undefined });
  expect(one?.ids).toBeInstanceOf(Int32Array);
  expect(other?.ids[0]).toBe(one?.ids[0]);
});

test('falls back to the library for pairs, long texts and large batches', () => {
  const encode = ready();
  expect(encode([{ text: 'Anna' }], true)).toBeDefined();
  expect(encode([{ text: 'Anna', pair: 'Berlin' }], true)).toBeUndefined();
  expect(encode(texts(1, 'Anna '.repeat(100)), true)).toBeUndefined();
  expect(encode(texts(500), true)).toBeUndefined();
  expect(encode([{ text: 'Anna' }, { text: 'Zoë' }], true)).toBeUndefined();
});

test('falls back to the library for other kinds of tokenizers', () => {
  const other = readFileSync(join(FIXTURES, 'models/roberta/tokenizer.json'), 'utf8');
  const encode = createPlainEncoder(other, 64);
  for (let at = 0; at < 40; at += 1) expect(encode(texts(1), true)).toBeUndefined();
});
