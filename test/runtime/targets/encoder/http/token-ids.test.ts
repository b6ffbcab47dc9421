import { describe, expect, test } from 'vitest';
import type { ServingEngine } from '#encoder/engine/serving.ts';
import { checkTokenIds } from '#encoder/http/vector-inputs.ts';
import { standInEngine } from '#test/helpers/stand-in-engine.ts';

const { manifest } = standInEngine({}, () => Promise.reject(new Error('not run')));
const check = (
  input: string | string[] | number[] | number[][],
  boundary?: ServingEngine['boundary'],
): void => checkTokenIds(input, 'input', { manifest, boundary });
const CLS = { side: 'start', id: 2, token: '[CLS]' } as const;

describe('token IDs in a request', () => {
  test.each([
    'text',
    ['text', 'text'],
    [2, 50, 3],
    [
      [2, 50, 3],
      [2, 3],
    ],
  ])('%j is accepted', (input) => {
    expect(() => check(input, CLS)).not.toThrow();
  });

  test('lists that do not start with the special token are rejected', () => {
    expect(() => check([50, 51], CLS)).toThrow(
      "input must start with 2 ([CLS]), this model's special token, not 50. The ids come from another tokenizer, or special tokens are missing. Send texts; in LangChain's OpenAIEmbeddings, set check_embedding_ctx_length=False.",
    );
    expect(() => check([[2, 3], [7]], CLS)).toThrow(/^input\/1 must start with 2/);
  });

  test('the special token is required at the end if the tokenizer adds it there, and not required if it adds none', () => {
    const end = { side: 'end', id: 1, token: '</s>' } as const;
    expect(() => check([50, 1], end)).not.toThrow();
    expect(() => check([1, 50], end)).toThrow(/^input must end with 1 \(<\/s>\)/);
    expect(() => check([50, 51])).not.toThrow();
  });

  test('an unknown ID is reported with its position', () => {
    expect(() =>
      check([
        [2, 3],
        [2, 100],
      ]),
    ).toThrow(/^input\/1\/1 must be at most 99, not 100, which comes from another tokenizer/);
  });
});
