import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  array,
  assert,
  constantFrom,
  integer,
  nat,
  oneof,
  property,
  string,
  tuple,
  uint8Array,
} from 'fast-check';
import { expect, test } from 'vitest';
import { convertTokenizer, type Vocabulary } from '#cli/packaging/tokenizer/convert.ts';
import { FAMILIES } from '#cli/packaging/tokenizer/families.ts';
import { AppError } from '#contract/errors.ts';
import { FIXTURES } from '../../../helpers/paths.ts';

const SEED = { seed: 20_261_124, numRuns: 200 };
const bytesOf = (path: string): Uint8Array =>
  new Uint8Array(readFileSync(join(FIXTURES, 'tokenizers', path)));
const textOf = (path: string): string => readFileSync(join(FIXTURES, 'tokenizers', path), 'utf8');

/** Returns the error message, or undefined. Anything other than a one-line ConfigError of readable length fails. */
function refusal(name: string, vocabulary: Vocabulary): string | undefined {
  const family = FAMILIES.find((one) => one.name === name);
  if (family === undefined) throw new Error(name);
  try {
    convertTokenizer(family, vocabulary, { tokenizerConfig: {}, specialTokensMap: {}, addedTokens: {} });
    return undefined;
  } catch (error) {
    const isSentence =
      error instanceof AppError && error.code === 'ConfigError' && /^[^\n\r]{1,500}$/.test(error.message);
    if (isSentence) return error.message;
    throw error;
  }
}

/** Bytes to overwrite, and the share of the file to keep. */
const damage = tuple(
  array(tuple(nat(), integer({ min: 0, max: 255 })), { maxLength: 12 }),
  integer({ min: 1, max: 100 }),
);

function damaged(
  bytes: Uint8Array,
  [edits, percent]: readonly [readonly [number, number][], number],
): Uint8Array {
  const copy = bytes.slice(0, Math.ceil((bytes.length * percent) / 100));
  for (const [at, value] of edits) copy[at % copy.length] = value;
  return copy;
}

/** Valid and invalid vocabulary lines. */
const lines = array(
  oneof(
    string({ maxLength: 20 }),
    constantFrom('[UNK]', '[CLS]', '[SEP]', 'a b', 'a b c', '', ' ', '\u2028', '\0'),
  ),
  { maxLength: 40 },
).map((parts) => parts.join('\n'));

test.each([
  ['XLMRoberta', 'xlm-roberta/sentencepiece.bpe.model'],
  ['XLMRoberta', 'xlm-roberta-bpe/sentencepiece.bpe.model'],
  ['Albert', 'albert/spiece.model'],
  ['T5', 't5/spiece.model'],
])('a damaged model of a %s tokenizer is converted or rejected: %s', (name, path) => {
  const whole = bytesOf(path);
  const model = (bytes: Uint8Array): Vocabulary => ({ kind: 'sentencepiece', path: 'spm.model', bytes });
  expect(refusal(name, model(whole))).toBeUndefined();
  assert(
    property(damage, (how) => void refusal(name, model(damaged(whole, how)))),
    SEED,
  );
  assert(
    property(uint8Array({ maxLength: 300 }), (bytes) => void refusal(name, model(bytes))),
    SEED,
  );
});

test('a field longer than the file is rejected before memory is allocated', () => {
  // Field 1 with a length of 2^31 - 1 bytes, which the file does not contain, and a piece with such a text.
  const lengths = [0xff, 0xff, 0xff, 0xff, 0x07];
  for (const bytes of [
    [0x0a, ...lengths],
    [0x0a, 6, 0x0a, ...lengths],
    [0x1a, 6, 0x12, ...lengths],
  ]) {
    const before = process.memoryUsage().arrayBuffers;
    const message = refusal('T5', { kind: 'sentencepiece', path: 'spm.model', bytes: new Uint8Array(bytes) });
    expect(message).toMatch(/^spm\.model is not a complete sentencepiece model: /);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(10_000_000);
  }
});

test('a damaged vocab.txt is converted or rejected', () => {
  const convert = (text: string): string | undefined =>
    refusal('Bert', { kind: 'wordpiece', path: 'vocab.txt', text });
  expect(convert(textOf('bert/vocab.txt'))).toBeUndefined();
  assert(
    property(lines, (text) => void convert(text)),
    SEED,
  );
});

test('damaged merges and IDs are converted or rejected', () => {
  const content = JSON.parse(textOf('roberta/vocab.json')) as Record<string, unknown>;
  const merges = textOf('roberta/merges.txt');
  const convert = (ids: Readonly<Record<string, unknown>>, text: string): string | undefined =>
    refusal('Roberta', {
      kind: 'byte-level',
      path: 'vocab.json',
      content: ids,
      mergesPath: 'merges.txt',
      merges: text,
    });
  expect(convert(content, merges)).toBeUndefined();
  assert(
    property(lines, (text) => void convert(content, `#version: 0.2\n${text}\n`)),
    SEED,
  );
  const names = Object.keys(content);
  const value = constantFrom(-1, 1.5, 2 ** 53, 0, '0', null, [], {});
  assert(
    property(array(tuple(nat(), value), { maxLength: 3 }), (edits) => {
      const changed = Object.fromEntries(edits.map(([at, id]) => [names[at % names.length] ?? '', id]));
      convert({ ...content, ...changed }, merges);
    }),
    SEED,
  );
});
