import {
  array,
  assert,
  asyncProperty,
  constantFrom,
  json,
  oneof,
  string,
  tuple,
  uint8Array,
  nat,
} from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openApp, type OpenApp } from './open-app.ts';

const GOOD: Record<string, unknown[]> = {
  '/predict': [
    { inputs: ['I love this', ['a', 'b']], metadata: { key: 'value' } },
    { inputs: ['I love this'], normalize: true, top_k: 2 },
    { inputs: ['I love this'], normalize: false, dimensions: 4, prompt_name: 'query', prompt: 'a' },
  ],
  '/tokenize': [{ inputs: ['I love this'], add_special_tokens: false }],
  '/decode': [{ ids: [[2, 51], [3]], skip_special_tokens: true }, { ids: [2, 51] }],
  '/v1/embeddings': [
    { input: ['I love this'], encoding_format: 'base64', dimensions: 4 },
    { input: [[2, 51, 3], [5]], model: 'm', user: 'u' },
    { input: ['I love this'], output_dtype: 'int8', embedding_type: 'int8', output_dimension: 4 },
    { input: ['I love ', 'this'], late_chunking: true, prompt: 'a ', instruction: 'b', normalize: false },
  ],
  '/v2/embed': [
    {
      texts: ['I love this'],
      input_type: 'search_query',
      embedding_types: ['float', 'int8', 'ubinary', 'base64'],
      output_dimension: 4,
      max_tokens: 2,
      truncate: 'START',
    },
  ],
  '/rerank': [{ query: 'a', documents: ['b', { text: 'c' }], top_n: 1 }],
};
const PATHS = Object.keys(GOOD);

/** Valid bodies with parts replaced, removed or duplicated. */
const mutated = (path: string) =>
  tuple(
    constantFrom(...(GOOD[path] ?? []).map((body) => JSON.stringify(body))),
    array(
      tuple(
        nat(),
        nat(4),
        oneof(
          constantFrom(
            'null',
            '""',
            '[]',
            '{}',
            '0',
            '-1',
            '1e999',
            '99999999999',
            '"\\ud800"',
            'true',
            '\\u0000',
            '[[',
          ),
          string({ maxLength: 3 }),
        ),
      ),
      { minLength: 1, maxLength: 3 },
    ),
  ).map(([body, changes]) =>
    changes.reduce((text, [at, cut, put]) => {
      const place = at % (text.length + 1);
      return text.slice(0, place) + put + text.slice(place + cut);
    }, body),
  );

/** Fields of a valid body with any other JSON value. */
const revalued = (path: string) =>
  tuple(constantFrom(...((GOOD[path] ?? []) as Record<string, unknown>[])), nat(), json({ maxDepth: 3 })).map(
    ([body, at, value]) => {
      const keys = Object.keys(body);
      const changed = keys[at % keys.length];
      return `{${keys
        .map((key) => `${JSON.stringify(key)}:${key === changed ? value : JSON.stringify(body[key])}`)
        .join(',')}}`;
    },
  );

const request = oneof(
  ...PATHS.flatMap((path) =>
    [mutated(path), revalued(path), json()].map((body) => tuple(constantFrom(path), body)),
  ),
  tuple(constantFrom(...PATHS), uint8Array({ maxLength: 200 })),
);

describe.each(['embedder', 'sentiment', 'ner', 'sentence'])('%s', (model) => {
  let open: OpenApp | undefined;
  beforeAll(async () => {
    open = await openApp(model);
  });
  afterAll(() => open?.close());
  const opened = (): OpenApp => open ?? expect.unreachable();

  test('no body causes a server error, and a valid request still works', async () => {
    const statuses = new Set<number>();
    const fails = asyncProperty(request, async ([path, body]) => {
      const headers = { 'Content-Type': 'application/json' };
      const init = { method: 'POST', body: typeof body === 'string' ? body : Uint8Array.from(body), headers };
      const response = await opened().app.request(path, init);
      statuses.add(response.status);
      expect(response.status, await response.text()).toBeLessThan(500);
    });
    await assert(fails, { numRuns: 700 });
    // The server has rejected and accepted bodies, so the test was effective.
    expect([...statuses]).toEqual(expect.arrayContaining([200, 400, 422]));

    const good = { inputs: ['I love this'], ...(model === 'embedder' ? { normalize: true } : {}) };
    expect((await open?.post('/predict', good))?.status).toBe(200);
  });
});
