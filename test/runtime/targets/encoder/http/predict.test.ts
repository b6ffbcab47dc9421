import { describe, expect, test } from 'vitest';
import type { ModelType } from '#contract/model-types.ts';
import { predictResponse } from '#encoder/predict/predict.ts';
import { largestDifference, TOLERANCE } from '#test/helpers/close.ts';
import { type GoldenText, readGolden } from '#test/helpers/golden.ts';
import { expectToMatch } from './matches.ts';
import { type OpenApp, useApp } from './open-app.ts';

interface Answer<Result> {
  readonly results: Result[];
  readonly model_id: string;
  readonly metadata?: Record<string, string>;
}
interface SequenceResult {
  readonly logits: number[];
  readonly scores: number[];
  readonly predicted_index: number;
  readonly predicted_label?: string;
  readonly top?: { index: number; label: string; score: number }[];
}
interface TokenInfo {
  readonly token: string;
  readonly token_id: number;
  readonly start: number;
  readonly end: number;
}

const kept = <T>(golden: GoldenText, list: readonly T[] = []): T[] =>
  list.filter((_, at) => golden.special_tokens_mask[at] === 0);
const infosOf = (golden: GoldenText): TokenInfo[] =>
  kept(
    golden,
    golden.tokens.map((token, at) => {
      const [start = 0, end = 0] = golden.offsets[at] ?? [];
      return { token, token_id: golden.input_ids[at] ?? 0, start, end };
    }),
  );
async function predict<Result>(
  open: OpenApp,
  type: ModelType,
  body: Record<string, unknown>,
): Promise<Answer<Result>> {
  const response = await open.post('/predict', body);
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe('application/json');
  const answer = (await response.json()) as Answer<Result>;
  expectToMatch(answer, predictResponse({ modelType: type }));
  return answer;
}

describe('sequence_classification', () => {
  const type = 'sequence_classification';
  const open = useApp('sentiment');

  test('results match those of other libraries, in input order', async () => {
    const golden = readGolden('sentiment');
    const inputs = golden.map(({ text }) => text);
    const { results, model_id } = await predict<SequenceResult>(open(), type, { inputs });
    expect(model_id).toBe('sentiment');
    expect(results.length).toBe(golden.length);
    for (const [at, expected] of golden.entries()) {
      const result = results[at];
      expect(largestDifference(result?.logits ?? [], expected.logits as number[])).toBeLessThan(TOLERANCE);
      expect(largestDifference(result?.scores ?? [], expected.scores as number[])).toBeLessThan(TOLERANCE);
      expect(result?.predicted_label).toBe(expected.predicted_label);
      expect(Object.keys(result ?? {})).toEqual(['logits', 'scores', 'predicted_index', 'predicted_label']);
    }
  });

  test('metadata is returned, and omitted if empty', async () => {
    const metadata = { source: 'a', ['__proto__']: 'b', 'é"\n': '😀' };
    const body = { inputs: ['I love this'] };
    expect((await predict(open(), type, { ...body, metadata })).metadata).toEqual(metadata);
    expect((await predict(open(), type, { ...body, metadata: {} })).metadata).toEqual({});
    expect(await predict(open(), type, body)).not.toHaveProperty('metadata');
    expect(await predict(open(), type, { ...body, metadata: null })).not.toHaveProperty('metadata');
  });

  test('top_k adds the most likely labels', async () => {
    const inputs = ['I love this'];
    for (const [topK, count] of [
      [1, 1],
      [2, 2],
      [99, 2],
    ] as const) {
      const { results } = await predict<SequenceResult>(open(), type, { inputs, top_k: topK });
      const [{ top, scores } = { top: [], scores: [] }] = results;
      expect(top?.length).toBe(count);
      expect(top?.[0]).toEqual({ index: 1, label: 'POSITIVE', score: scores[1] });
    }
    expect((await predict<SequenceResult>(open(), type, { inputs })).results[0]).not.toHaveProperty('top');
  });

  test('a text pair is encoded together', async () => {
    const one = ['I love this', 'this is awful'] as const;
    const { results } = await predict<SequenceResult>(open(), type, { inputs: [one, one[0], one.join(' ')] });
    const [pair, single, joined] = results.map(({ logits }) => logits);
    expect(pair).not.toEqual(single);
    expect(pair).not.toEqual(joined);
  });

  test('many pairs return the same results as each pair alone', async () => {
    const pairs = readGolden('sentiment')
      .slice(0, 12)
      .map(({ text }) => [text, 'I love this']);
    const together = await predict<SequenceResult>(open(), type, { inputs: [...pairs, 'single'] });
    for (const [at, pair] of pairs.entries()) {
      const { results } = await predict<SequenceResult>(open(), type, { inputs: [pair] });
      const difference = largestDifference(together.results[at]?.logits ?? [], results[0]?.logits ?? []);
      expect(difference).toBeLessThan(TOLERANCE);
    }
  });

  test('headers contain the number of tokens and the duration', async () => {
    const response = await open().post('/predict', { inputs: ['I love 😀', 'not good'] });
    const header = (name: string): string => response.headers.get(name) ?? '';
    expect(header('x-compute-type')).toBe('cpu');
    expect(header('x-compute-characters')).toBe('16');
    expect(Number(header('x-compute-tokens'))).toBeGreaterThan(6);
    for (const name of ['compute', 'total', 'tokenization', 'queue', 'inference']) {
      expect(header(`x-${name}-time`)).toMatch(/^\d+(\.\d{1,3})?$/);
    }
    expect(Number(header('x-total-time'))).toBeGreaterThan(0);
  });
});

describe('token_classification', () => {
  const type = 'token_classification';
  const open = useApp('ner');

  test('results match those of other libraries, without special tokens', async () => {
    const golden = readGolden('ner').slice(0, 20);
    const { results } = await predict<{
      tokens: { token_info: TokenInfo; logits: number[]; scores: number[]; label: string; score: number }[];
    }>(open(), type, { inputs: golden.map(({ text }) => text) });
    for (const [at, expected] of golden.entries()) {
      const tokens = results[at]?.tokens ?? [];
      expect(tokens.map(({ token_info }) => token_info)).toEqual(infosOf(expected));
      expect(tokens.map(({ label }) => label)).toEqual(kept(expected, expected.labels));
      expect(
        largestDifference(
          tokens.flatMap(({ logits }) => logits),
          kept(expected, expected.logits as number[][]).flat(),
        ),
      ).toBeLessThan(TOLERANCE);
      expect(
        largestDifference(
          tokens.flatMap(({ scores }) => scores),
          kept(expected, expected.scores as number[][]).flat(),
        ),
      ).toBeLessThan(TOLERANCE);
      for (const { score, scores } of tokens) expect(score).toBe(Math.max(...scores));
    }
  });
});

describe('embedding', () => {
  const type = 'embedding';
  const open = useApp('embedder');
  type Result = { embeddings: { embedding: number[]; token_info: TokenInfo }[] };

  test('results match those of other libraries, without special tokens', async () => {
    const golden = readGolden('embedder').slice(0, 20);
    const inputs = golden.map(({ text }) => text);
    const { results } = await predict<Result>(open(), type, { inputs, normalize: false });
    for (const [at, expected] of golden.entries()) {
      const embeddings = results[at]?.embeddings ?? [];
      expect(embeddings.map(({ token_info }) => token_info)).toEqual(infosOf(expected));
      expect(
        largestDifference(
          embeddings.flatMap(({ embedding }) => embedding),
          kept(expected, expected.embeddings).flat(),
        ),
      ).toBeLessThan(TOLERANCE);
    }
  });

  test('normalize returns vectors of length 1', async () => {
    const { results } = await predict<Result>(open(), type, { inputs: ['I love this'], normalize: true });
    for (const { embedding } of results[0]?.embeddings ?? [])
      expect(Math.hypot(...embedding)).toBeCloseTo(1, 5);
  });

  test('normalize is required', async () => {
    const response = await open().post('/predict', { inputs: ['I love this'] });
    expect([response.status, await response.text()]).toEqual([422, 'normalize is missing']);
  });
});
