import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadNativeLibraries } from '#platform/native/libraries.ts';
import type { TextInput } from '#core/model/tokenized-text.ts';
import { openTokenizer } from '#platform/tokenizer.ts';
import { openModel } from '#encoder/model.ts';
import { largestDifference, TOLERANCE } from '../../../helpers/close.ts';
import { readGolden } from '../../../helpers/golden.ts';
import { FIXTURES } from '../../../helpers/paths.ts';
import { type OpenApp, useApp } from './http/open-app.ts';
import { builtAssets } from '../../../helpers/built.ts';

/** Two texts and the results of independent libraries for one model (fixtures/scripts/make_pairs.py). */
interface GoldenPair {
  readonly id: string;
  readonly input_ids: number[];
  readonly token_type_ids: number[];
  readonly special_tokens_mask: number[];
  /** Offsets are relative to each text. */
  readonly offsets: [number, number][];
  /** Whether the pair has more tokens than the model's maximum. */
  readonly cut: boolean;
  readonly logits: number[] | number[][];
}

interface TextPair {
  readonly id: string;
  readonly text: string;
  readonly pair: string;
  /** Whether the second text answers the first, if known. */
  readonly answers?: boolean;
}

interface Result {
  readonly logits?: number[];
  readonly scores?: number[];
  readonly tokens?: {
    readonly token_info: { readonly start: number; readonly end: number; readonly token_id: number };
    readonly logits: number[];
  }[];
}

const MODELS = ['sentiment', 'ner', 'reranker', 'roberta', 'distilbert'] as const;
type Model = (typeof MODELS)[number];

const { pairs, ...golden } = JSON.parse(
  readFileSync(join(FIXTURES, 'golden', 'pairs.json'), 'utf8'),
) as Record<Model, GoldenPair[]> & { pairs: TextPair[] };

const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

async function post<Answer>(open: OpenApp, path: string, body: unknown): Promise<Answer> {
  const response = await open.post(path, body);
  expect(response.status).toBe(200);
  return (await response.json()) as Answer;
}

test('the golden data contains pairs, including some that are too long', () => {
  expect(pairs.length).toBeGreaterThanOrEqual(40);
  for (const model of MODELS) {
    expect(golden[model].map(({ id }) => id)).toEqual(pairs.map(({ id }) => id));
    expect(golden[model].filter(({ cut }) => cut).length).toBeGreaterThanOrEqual(10);
  }
});

describe.each(MODELS)('%s', (model) => {
  const open = useApp(model);

  test.each(['in one call', 'one by one'])('tokens of pairs, %s, match other libraries', async (how) => {
    const {
      tokenizer: { json },
      manifest,
    } = openModel(builtAssets(model));
    const tokenizer = openTokenizer((await loadNativeLibraries()).tokenizers, json, manifest.tokenizer);
    const encode = (inputs: TextInput[]): ReturnType<typeof tokenizer.encode> =>
      tokenizer.encode(inputs, { details: true });
    const encoded =
      how === 'in one call'
        ? await encode(pairs)
        : (await Promise.all(pairs.map(async (pair) => await encode([pair])))).flat();
    for (const [at, expected] of golden[model].entries()) {
      const { ids = [], typeIds, truncated, details } = encoded[at] ?? {};
      expect([...ids], expected.id).toEqual(expected.input_ids);
      expect([...(typeIds ?? new Int32Array(ids.length))], expected.id).toEqual(expected.token_type_ids);
      expect([...(details?.special ?? [])], expected.id).toEqual(expected.special_tokens_mask);
      expect([...(details?.offsets ?? [])], expected.id).toEqual(expected.offsets.flat());
      expect(truncated, expected.id).toBe(expected.cut);
    }
  });

  test('pairs return the same results on every route', async () => {
    const { results, tokens } = await open().engine.run({
      inputs: pairs,
      view: { kind: 'result', format: 'json', options: {} },
    });
    expect(tokens).toEqual(golden[model].map(({ input_ids }) => input_ids.length));
    for (const [at, expected] of golden[model].entries()) {
      expectResult(JSON.parse(new TextDecoder().decode(results[at])) as Result, expected);
    }
  });
});

/** Results of token classification contain a row for every token except those added by the tokenizer. */
function expectResult({ logits, tokens }: Result, golden: GoldenPair): void {
  const kept = golden.input_ids.flatMap((_, at) => (golden.special_tokens_mask[at] === 0 ? [at] : []));
  const infos = tokens?.map(({ token_info: { token_id, start, end } }) => [token_id, start, end]);
  const wantedInfos = kept.map((at) => [golden.input_ids[at], ...(golden.offsets[at] ?? [])]);
  expect(infos, golden.id).toEqual(tokens && wantedInfos);
  const rows = tokens ? tokens.map((token) => token.logits) : [logits];
  const wanted = (tokens ? kept.map((at) => golden.logits[at]) : [golden.logits]) as number[][];
  const differences = rows.map((row, at) => largestDifference(row, wanted[at] ?? []));
  expect(Math.max(0, ...differences), golden.id).toBeLessThan(TOLERANCE);
}

describe('the reranker over HTTP', () => {
  const open = useApp('reranker');
  const logitOf = (id: string): number =>
    Number(golden.reranker.find((expected) => expected.id === id)?.logits[0]);
  const questions = Map.groupBy(
    pairs.filter(({ answers }) => answers !== undefined),
    ({ text }) => text,
  );

  test.each([...questions])('POST /rerank ranks the documents for %j', async (query, passages) => {
    // The document with the answer is last, so that the input order is never the expected order.
    const given = passages.toReversed();
    const documents = given.map(({ pair }) => pair);
    const rank = async (options: object): Promise<{ index: number; relevance_score: number }[]> =>
      (await post<{ results: [] }>(open(), '/rerank', { query, documents, ...options })).results;
    const logits = given.map(({ id }) => logitOf(id));
    const wanted = [...logits.keys()].sort((a, b) => (logits[b] ?? 0) - (logits[a] ?? 0));

    const ranked = await rank({});
    expect(ranked.map(({ index }) => index)).toEqual(wanted);
    expect(given[ranked[0]?.index ?? -1]?.answers).toBe(true);
    const scores = ranked.map(({ relevance_score }) => relevance_score);
    const ordered = wanted.map((index) => logits[index] ?? Number.NaN);
    expect(largestDifference(scores, ordered.map(sigmoid))).toBeLessThan(TOLERANCE);
    expect(scores[0]).toBeGreaterThan(0.9);
    expect(scores[1]).toBeLessThan(0.1);

    const raw = (await rank({ raw_scores: true })).map(({ relevance_score }) => relevance_score);
    expect(largestDifference(raw, ordered)).toBeLessThan(TOLERANCE);
  });

  test('POST /predict accepts pairs; the only score is the sigmoid of the logit', async () => {
    const inputs = pairs.map(({ text, pair }) => [text, pair]);
    const { results } = await post<{ results: Result[] }>(open(), '/predict', { inputs });
    for (const [at, expected] of golden.reranker.entries()) {
      expectResult(results[at] ?? {}, expected);
      expect(results[at]).toMatchObject({ predicted_index: 0, predicted_label: 'LABEL_0' });
      const scores = [sigmoid(logitOf(expected.id))];
      expect(largestDifference(results[at]?.scores, scores), expected.id).toBeLessThan(TOLERANCE);
    }
  });
});

describe('a multi-label model', () => {
  const open = useApp('multilabel');

  test('each score is the sigmoid of its own logit', async () => {
    const expected = readGolden('multilabel');
    const inputs = expected.map(({ text }) => text);
    const { results } = await post<{ results: Result[] }>(open(), '/predict', { inputs });
    for (const [at, { id, ...wanted }] of expected.entries()) {
      const { logits = [], scores } = results[at] ?? {};
      expect(largestDifference(logits, wanted.logits as number[]), id).toBeLessThan(TOLERANCE);
      expect(largestDifference(scores, wanted.scores as number[]), id).toBeLessThan(TOLERANCE);
      expect(largestDifference(scores, logits.map(sigmoid)), id).toBeLessThan(TOLERANCE);
    }
  });

  test('top_k lists the most likely labels first, and several can be likely', async () => {
    const body = { inputs: ['The football match was in the rain and the wind'], top_k: 5 };
    const { results } = await post<{ results: (Result & { top: { label: string; score: number }[] })[] }>(
      open(),
      '/predict',
      body,
    );
    const { top = [], scores = [] } = results[0] ?? {};
    expect(top.map(({ score }) => score)).toEqual(scores.toSorted((a, b) => b - a));
    expect(new Set(top.slice(0, 2).map(({ label }) => label))).toEqual(new Set(['sport', 'weather']));
    expect(top[1]?.score).toBeGreaterThan(0.9);
    expect(top[2]?.score).toBeLessThan(0.1);
  });
});
