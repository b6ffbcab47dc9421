import { describe, expect, test } from 'vitest';
import { lateChunkingProblem, tokensOfParts } from '#core/model/late-chunking.ts';
import type { TokenDetails } from '#core/model/tokenized-text.ts';

/** Token details for offsets; `null` is a special token that the tokenizer added. */
const detailsOf = (offsets: readonly (readonly [number, number] | null)[]): TokenDetails => ({
  tokens: offsets.map(() => 'x'),
  special: Uint8Array.from(offsets, (offset) => (offset ? 0 : 1)),
  offsets: Uint32Array.from(offsets.flatMap((offset) => offset ?? [0, 0])),
});

describe('tokensOfParts', () => {
  test('every token belongs to the part that contains its last character', () => {
    // "search: " + "Anna " + "lives in Ber" + "lin"; tokens that start with a space, and one over a border.
    const details = detailsOf([null, [0, 7], [8, 12], [12, 18], [18, 21], [21, 28], null]);
    expect(tokensOfParts({ details }, [5, 12, 3], 8)).toEqual([
      [2, 3],
      [3, 5],
      [5, 6],
    ]);
  });

  test('special tokens belong to no part, and a tokenizer can have none', () => {
    expect(tokensOfParts({ details: detailsOf([[0, 1], [1, 2], null]) }, [1, 1], 0)).toEqual([
      [0, 1],
      [1, 2],
    ]);
    expect(tokensOfParts({ details: detailsOf([[0, 1]]) }, [1], 0)).toEqual([[0, 1]]);
  });

  test('a part without tokens is an InputError', () => {
    const details = detailsOf([null, [0, 1], [4, 5], null]);
    const message =
      'input/1 has no tokens, so it has no vector of its own with late_chunking. Join it with the part before or after it.';
    expect(() => tokensOfParts({ details }, [1, 3, 1], 0)).toThrow(message);
    expect(() => tokensOfParts({ details: detailsOf([null, null]) }, [1], 0)).toThrow(
      'input/0 has no tokens',
    );
  });
});

test('only mean pooling of token vectors supports late chunking', () => {
  const sentence = { includePrompt: true, normalize: true, prompts: {} } as const;
  const problem = (manifest: object): string | undefined => lateChunkingProblem({ name: 'm', ...manifest });
  expect(problem({})).toBeUndefined();
  expect(problem({ sentence: { ...sentence, pooling: 'mean' } })).toBeUndefined();
  expect(problem({ sentence: { ...sentence, pooling: 'cls' } })).toBe(
    'late_chunking requires mean pooling of token vectors, but the pooling of m is cls. Remove it.',
  );
  expect(problem({ sentence: { ...sentence, pooling: ['mean', 'max'] } })).toContain(
    'is mean+max. Remove it.',
  );
  expect(problem({ sentence: { ...sentence, pooling: 'mean' }, transform: {} })).toBe(
    'late_chunking requires mean pooling of token vectors, but a transform pools the vectors of m. Remove it.',
  );
});
