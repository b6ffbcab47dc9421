import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type Entity, readGoldenEntities } from '../helpers/golden-entities.ts';
import { codePoints } from '#core/text/code-points.ts';
import { largestDifference, TOLERANCE } from '../helpers/close.ts';
import { FIXTURES } from '../helpers/paths.ts';
import { post } from './http-client.ts';
import type { ServingArm } from './serving.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();
const readGolden = (file: string): unknown =>
  JSON.parse(readFileSync(join(FIXTURES, 'golden', file), 'utf8'));

/** The response body, byte for byte. */
async function predict(arm: ServingArm, model: string, request: object): Promise<string> {
  const { url } = await serve(arm, model);
  const { status, type, text } = await post(`${url}/predict`, request);
  expect({ status, type }, text).toEqual({ status: 200, type: 'application/json' });
  return text;
}
async function results<Result>(arm: ServingArm, model: string, request: object): Promise<Result[]> {
  return (JSON.parse(await predict(arm, model, request)) as { results: Result[] }).results;
}

/** The text with `#` in place of a number, and `#3` in place of three. */
function expectBody(body: string, form: string): void {
  const number = '-?\\d+(?:\\.\\d+)?(?:e-\\d+)?';
  const pattern = form.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll(/#(\d*)/g, (_, count: string) =>
    Array(Number(count || 1))
      .fill(number)
      .join(','),
  );
  expect(body).toMatch(new RegExp(`^${pattern}$`));
}

verifiesServed('http:predict:sequence_classification', async (arm) => {
  const negative = '{"logits":[#2],"scores":[#2],"predicted_index":0,"predicted_label":"NEGATIVE"}';
  const positive = '{"logits":[#2],"scores":[#2],"predicted_index":1,"predicted_label":"POSITIVE"}';
  const inputs = ['this is awful', 'I love this'];
  const end = '"model_id":"sentiment"';
  const form = `{"results":[${negative},${positive}],${end}`;
  expectBody(await predict(arm, 'sentiment', { inputs }), `${form}}`);
  expectBody(await predict(arm, 'sentiment', { inputs, metadata: null }), `${form}}`);
  expectBody(
    await predict(arm, 'sentiment', { inputs, metadata: { b: 'ü', a: '' } }),
    `${form},"metadata":{"b":"ü","a":""}}`,
  );
});

verifiesServed('http:predict:token_classification', async (arm) => {
  const token = (text: string, start: number, end: number, label: string): string =>
    `{"token_info":{"token":"${text}","token_id":#,"start":${start},"end":${end}},` +
    `"logits":[#9],"scores":[#9],"label":"${label}","score":#}`;
  const tokens = [token('Anna', 0, 4, 'B-PER'), token('lives', 5, 10, 'O'), token('in', 11, 13, 'O')];
  expectBody(
    await predict(arm, 'ner', { inputs: ['Anna lives in Paris', ' '] }),
    `{"results":[{"tokens":[${tokens.join(',')},${token('Paris', 14, 19, 'B-LOC')}]},{"tokens":[]}],"model_id":"ner"}`,
  );
});

verifiesServed('http:predict:embedding', async (arm) => {
  const token = (text: string, start: number, end: number): string =>
    `{"embedding":[#32],"token_info":{"token":"${text}","token_id":#,"start":${start},"end":${end}}}`;
  expectBody(
    await predict(arm, 'embedder', { inputs: ['I love', ' '], normalize: true }),
    `{"results":[{"embeddings":[${token('i', 0, 1)},${token('love', 2, 6)}]},{"embeddings":[]}],"model_id":"embedder"}`,
  );
});

verifiesServed('http:predict:numbers', async (arm) => {
  const body = await predict(arm, 'embedder', { inputs: ['I love this and that'], normalize: false });
  const numbers = [...body.matchAll(/-?\d+\.\d+(?:e-\d+)?/g)].map(([text]) => text);
  expect(numbers.length).toBeGreaterThan(150);
  for (const text of numbers) {
    const number = Number(text);
    const shorter = [1, 2, 3, 4, 5, 6, 7, 8, 9].find(
      (digits) => Math.fround(Number(number.toPrecision(digits))) === Math.fround(number),
    );
    expect(text).toBe(String(Number(number.toPrecision(shorter))));
  }
});

interface Classified {
  readonly logits: number[];
  readonly scores: number[];
  readonly top: { index: number; label: string; score: number }[];
}
const LABELS = ['cooking', 'money', 'music', 'sport', 'weather'];

verifiesServed('http:predict:top-k', async (arm) => {
  const inputs = ['rain and wind tomorrow', 'the match and the goal'];
  for (const [asked, listed] of [
    [1, 1],
    [3, 3],
    [99, 5],
  ] as const) {
    for (const { scores, top } of await results<Classified>(arm, 'multilabel', { inputs, top_k: asked })) {
      const best = scores
        .map((score, index) => ({ index, label: LABELS[index], score }))
        .sort((a, b) => b.score - a.score);
      expect(top).toEqual(best.slice(0, listed));
    }
  }
  const [plain] = await results<Classified>(arm, 'multilabel', { inputs, top_k: null });
  expect(plain).not.toHaveProperty('top');
});

verifiesServed('http:predict:multi-label', async (arm) => {
  const [result] = await results<Classified>(arm, 'multilabel', { inputs: ['I love this rain'] });
  const sigmoids = result?.logits.map((logit) => 1 / (1 + Math.exp(-logit))) ?? [];
  expect(largestDifference(result?.scores, sigmoids)).toBeLessThan(TOLERANCE);
});

verifiesServed('http:predict:aggregation', async (arm) => {
  const cases = readGoldenEntities();
  expect(cases.length).toBeGreaterThan(5);
  const inputs = cases.map(({ text }) => text);
  for (const aggregation of ['simple', 'first', 'average', 'max']) {
    const found = await results<{ entities: Entity[] }>(arm, 'ner', { inputs, aggregation });
    for (const [at, { entities }] of found.entries()) {
      const expected = cases[at]?.groups[aggregation] ?? [];
      expect(entities.map(({ entity_group, word, start, end }) => [entity_group, start, end, word])).toEqual(
        expected.map(([group, , start, end, word]) => [group, start, end, word]),
      );
      for (const [place, { score }] of entities.entries())
        expect(Math.abs(score - (expected[place]?.[1] ?? 0))).toBeLessThan(TOLERANCE);
    }
  }
  const [none] = await results(arm, 'ner', { inputs: ['Anna'], aggregation: 'none' });
  expect(none).not.toHaveProperty('entities');
  const { url } = await serve(arm, 'ner');
  expect(await post(`${url}/predict`, { inputs: ['a', ['a', 'b']], aggregation: 'max' })).toMatchObject({
    status: 422,
    text: 'inputs/1 is a pair, but aggregation requires single texts. Send pairs without aggregation.',
  });
});

verifiesServed('http:predict:pairs', async (arm) => {
  const { pairs, sentiment } = readGolden('pairs.json') as {
    pairs: { text: string; pair: string }[];
    sentiment: { logits: number[] }[];
  };
  const inputs = [...pairs.map(({ text, pair }) => [text, pair]), 'I love this'];
  const found = await results<Classified>(arm, 'sentiment', { inputs });
  expect(found).toHaveLength(pairs.length + 1);
  for (const [at, { logits }] of sentiment.entries())
    expect(largestDifference(found[at]?.logits, logits), pairs[at]?.text).toBeLessThan(TOLERANCE);
  expect(found.at(-1)).toMatchObject({ predicted_label: 'POSITIVE' });
});

interface Labelled {
  readonly tokens: { token_info: { token: string; start: number; end: number }; label: string }[];
}

verifiesServed('http:predict:characters', async (arm) => {
  const inputs = ['Anna', '😀 Anna', 'é\u0000Anna', '\ud800 Anna', '\u202eمرحبا Anna'];
  const found = await results<Labelled>(arm, 'ner', { inputs });
  for (const [at, { tokens }] of found.entries()) {
    const last = tokens.at(-1);
    const length = codePoints(inputs[at] ?? '');
    expect(last?.token_info.end, inputs[at]).toBe(length);
    if (last?.token_info.token === 'Anna') expect(last.token_info.start).toBe(length - 4);
  }
  expect(found.filter(({ tokens }) => tokens.at(-1)?.token_info.token === 'Anna').length).toBeGreaterThan(2);
});
