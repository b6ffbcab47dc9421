import { cpSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Worker } from 'node:worker_threads';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ASSETS } from '#contract/assets.ts';
import { bareTokenizer } from '#core/model/bare-tokenizer.ts';
import { parseManifest } from '#core/model/manifest-json.ts';
import { staticFormManifest } from '#core/model/static-form-manifest.ts';
import { openServingEngine } from '#encoder/engine/serving-engine.ts';
import { builtAssets } from '#test/helpers/built.ts';
import { DEFAULT_LIMITS } from '#test/helpers/default-limits.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { appAround, openApp, type OpenApp, useApp } from './open-app.ts';

const TEXTS = [
  'I love this',
  'the price of the loan',
  ' ',
  'naïve café 😀',
  `long ${'hotel room '.repeat(60)}`,
];
const [source_sentence, ...sentences] = TEXTS;
const folder = useTempFolder();

/** The static form of the fixture as a model of its own. */
async function openAlone(): Promise<OpenApp> {
  const path = join(folder(), 'alone');
  cpSync(builtAssets('two-forms'), path, { recursive: true });
  const inside = (file: string): string => join(path, file);
  renameSync(inside(ASSETS.static), inside(ASSETS.weights));
  const manifest = staticFormManifest(parseManifest(readFileSync(inside(ASSETS.manifest))));
  writeFileSync(inside(ASSETS.manifest), JSON.stringify(manifest));
  writeFileSync(inside(ASSETS.tokenizer), bareTokenizer(readFileSync(inside(ASSETS.tokenizer), 'utf8')));
  return appAround(await openServingEngine(path, { limits: DEFAULT_LIMITS, workers: 1, threads: 1 }));
}

const withoutId = (text: string): string => text.replace(/"id":"[^"]*",/, '');

async function answer(open: OpenApp, path: string, body: object) {
  const response = await open.post(path, body);
  const text = withoutId(await response.text());
  return { status: response.status, stage: response.headers.get('X-Compute-Stage'), text };
}

describe('a file with both forms', () => {
  const open = useApp('two-forms');
  const single = useApp('sentence');

  /** A request for vectors of each route, and the place of `stage` in it. */
  const REQUESTS: [path: string, body: (stage?: string) => object][] = [
    ['/predict', (stage) => ({ inputs: TEXTS, stage })],
    ['/predict', (stage) => ({ inputs: TEXTS, stage, normalize: false, dimensions: 5 })],
    ['/predict', (stage) => ({ inputs: TEXTS, stage, prompt: 'about: ' })],
    ['/v1/embeddings', (stage) => ({ input: TEXTS, stage })],
    ['/v1/embeddings', (stage) => ({ input: TEXTS, stage, encoding_format: 'base64' })],
    ['/v1/embeddings', (stage) => ({ input: TEXTS[0], stage, output_dtype: 'int8', prompt_name: 'query' })],
    ['/v1/embeddings', (stage) => ({ input: [[4, 5, 6]], stage })],
    ['/v2/embed', (stage) => ({ texts: TEXTS, stage, embedding_types: ['ubinary', 'float'] })],
    ['/embed', (stage) => ({ inputs: TEXTS, stage })],
    ['/', (stage) => ({ inputs: TEXTS, stage })],
    ['/similarity', (stage) => ({ inputs: { source_sentence, sentences }, parameters: { stage } })],
    ['/', (stage) => ({ inputs: { source_sentence, sentences }, parameters: { stage } })],
  ];

  test('every route returns the same bytes as each form alone', async () => {
    const alone = await openAlone();
    try {
      for (const [path, body] of REQUESTS) {
        // The name of a prompt of the model has no effect on its static form.
        const plain = await answer(alone, path, { ...body(), prompt_name: undefined });
        const renamed = (text: string): string => text.replaceAll('"sentence"', '"two-forms"');
        expect(await answer(open(), path, body('fast'))).toEqual({ ...plain, status: 200, stage: 'fast' });
        if (JSON.stringify(body()).includes('[[4')) continue;
        const exact = await answer(single(), path, body());
        expect(await answer(open(), path, body('exact'))).toEqual({
          status: 200,
          stage: 'exact',
          text: renamed(exact.text),
        });
        expect(await answer(open(), path, body())).toMatchObject({
          stage: 'exact',
          text: renamed(exact.text),
        });
      }
    } finally {
      await alone.close();
    }
  });

  test('every route with a body has the field, or does not compute vectors', async () => {
    const document = (await (await open().app.request('/openapi.json')).json()) as Document;
    const routes = Object.entries(document.paths).flatMap(([path, { post }]) =>
      post?.requestBody ? [path] : [],
    );
    const without = routes.filter(
      (path) => !JSON.stringify(resolved(document, document.paths[path])).includes('"stage":{'),
    );
    expect(routes.length).toBeGreaterThan(8);
    expect(without.toSorted()).toEqual(['/decode', '/tokenize']);
    const other = (await (await single().app.request('/openapi.json')).json()) as Document;
    expect(JSON.stringify(other)).not.toContain('"stage":{');
  });

  test('a file with one form accepts exact, and rejects other values on every route', async () => {
    for (const [path, body] of REQUESTS.filter(([, body]) => !JSON.stringify(body()).includes('[[4'))) {
      expect((await answer(single(), path, body('exact'))).stage).toBeNull();
      for (const stage of ['fast', 'nonsense']) {
        const { status, text } = await answer(single(), path, body(stage));
        expect([path, status]).toEqual([path, 422]);
        expect(JSON.parse(JSON.stringify(text))).toContain('sentence has no static form');
      }
    }
    const reranker = await openApp('reranker');
    try {
      for (const path of ['/rerank', '/v1/rerank', '/v2/rerank']) {
        for (const wrong of [{ stage: 'fast' }, { stage: 'two_stage' }, { candidates: 2 }]) {
          const { status, text } = await answer(reranker, path, { query: 'a', documents: ['b'], ...wrong });
          expect([path, wrong, status, text]).toEqual([
            path,
            wrong,
            422,
            expect.stringContaining('but reranker has no static form'),
          ]);
        }
        expect((await answer(reranker, path, { query: 'a', documents: ['b'], stage: 'exact' })).status).toBe(
          200,
        );
      }
    } finally {
      await reranker.close();
    }
  });

  test.each([
    [{ stage: 'quick' }, 'stage must be one of exact, fast, not "quick"'],
    [{ stage: 'two_stage' }, 'stage must be one of exact, fast, not "two_stage"'],
    [{ stage: 3 }, 'stage must be one of exact, fast, not 3'],
    [{ stage: ['fast'] }, 'stage must be one of exact, fast, not a list'],
    [{ stage: 'fast', dimensions: 13 }, 'dimensions must be at most 12, not 13'],
    [{ stage: 'fast', prompt_name: 'nonsense' }, 'prompt_name must be one of query, passage, document'],
    [{ stage: 'fast', instruction: 'x' }, 'instruction requires a model with a prompt'],
  ])('%j is rejected', async (body, message) => {
    const { status, text } = await answer(open(), '/predict', { inputs: ['a'], ...body });
    expect([status, text]).toEqual([422, expect.stringContaining(message)]);
  });

  test('late chunking requires the model itself', async () => {
    const { status, text } = await answer(open(), '/v1/embeddings', {
      input: ['a', 'b'],
      stage: 'fast',
      late_chunking: true,
    });
    expect([status, text]).toEqual([
      422,
      expect.stringContaining('because the static form has no vectors of tokens'),
    ]);
  });

  test('GET /model describes both forms', async () => {
    expect(await (await open().app.request('/model')).json()).toMatchObject({
      dimensions: 32,
      static_form: { dimensions: 12, int8_scale: 1 / 127, neighbors: expect.any(Number) },
    });
    expect(await (await single().app.request('/model')).json()).not.toHaveProperty('static_form');
  });

  describe('ranking', () => {
    const DOCUMENTS = [
      'a dog',
      'I love the soup',
      'the price went up',
      TEXTS[4] ?? '',
      'a dog',
      'this is awful',
      'a cat',
    ];
    interface Ranked {
      readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
      readonly meta: { readonly tokens: { readonly input_tokens: number } };
    }
    const rank = async (body: object, path = '/rerank'): Promise<Ranked['results']> => {
      const { status, text } = await answer(open(), path, {
        query: 'I love this',
        documents: DOCUMENTS,
        ...body,
      });
      expect([body, status, text]).toEqual([body, 200, expect.any(String)]);
      return (JSON.parse(text) as Ranked).results;
    };

    test('scores are the similarities of the vectors, with the prompts for a search', async () => {
      const vectorsOf = async (inputs: readonly string[], wanted: object): Promise<number[][]> => {
        const { text } = await answer(open(), '/embed', { inputs, ...wanted });
        return JSON.parse(text) as number[][];
      };
      for (const stage of ['exact', 'fast']) {
        const [query = []] = await vectorsOf(['I love this'], { stage, prompt_name: 'query' });
        const documents = await vectorsOf(DOCUMENTS, { stage, prompt_name: 'passage' });
        const results = await rank({ stage });
        expect(new Set(results.map(({ index }) => index))).toEqual(new Set(DOCUMENTS.keys()));
        for (const { index, relevance_score: score } of results) {
          const dot = query.reduce((sum, value, at) => sum + value * (documents[index]?.[at] ?? 0), 0);
          expect(score).toBeCloseTo(dot, 6);
        }
        expect(results.map(({ relevance_score }) => relevance_score)).toEqual(
          results.map(({ relevance_score }) => relevance_score).toSorted((one, other) => other - one),
        );
      }
    });

    test('two stages return the best documents of the static form, ranked by the model', async () => {
      const exact = await rank({});
      const fast = await rank({ stage: 'fast' });
      expect(fast).not.toEqual(exact);
      for (const path of ['/rerank', '/v1/rerank', '/v2/rerank']) {
        for (const candidates of [1, 2, 3, 6, 7, 8, 1000, 1e300]) {
          const chosen = new Set(fast.slice(0, candidates).map(({ index }) => index));
          const expected = exact.filter(({ index }) => chosen.has(index));
          expect(await rank({ candidates }, path)).toEqual(expected);
          expect(await rank({ stage: 'two_stage', candidates, top_n: 2 }, path)).toEqual(
            expected.slice(0, 2),
          );
        }
        expect(await rank({ stage: 'two_stage' }, path)).toEqual(exact);
      }
    });

    test('equal documents are in the order of the request, in every stage', async () => {
      const documents = ['a dog', 'a dog', 'a cat', 'a dog'];
      for (const stage of ['exact', 'fast', 'two_stage']) {
        const order = (await rank({ documents, stage })).map(({ index }) => index);
        expect(order.filter((index) => index !== 2)).toEqual([0, 1, 3]);
      }
      expect((await rank({ documents: ['a dog', 'a dog'], candidates: 1 }))[0]?.index).toBe(0);
    });

    test('headers and errors refer to the documents of the request', async () => {
      const body = { query: 'the hotel room', documents: ['a dog', DOCUMENTS[3], 'a cat'], candidates: 1 };
      const response = await open().post('/rerank', body);
      const { results, meta } = (await response.json()) as Ranked;
      expect(results.map(({ index }) => index)).toEqual([1]);
      expect(response.headers.get('X-Truncated-Indexes')).toBe('1');
      expect(response.headers.get('X-Compute-Stage')).toBe('two_stage');
      expect(Number(response.headers.get('X-Compute-Tokens'))).toBeLessThan(meta.tokens.input_tokens);
      expect(Number(response.headers.get('X-Compute-Characters'))).toBe(
        body.documents.join('').length + (DOCUMENTS[3] ?? '').length,
      );
      const strict = await answer(open(), '/rerank', { ...body, truncate: 'NONE' });
      expect(strict).toMatchObject({ status: 422, text: expect.stringContaining('Input 1 is too long') });
    });

    test.each([
      [{ candidates: 0 }, 'candidates must be at least 1, not 0'],
      [{ candidates: -5 }, 'candidates must be at least 1, not -5'],
      [{ candidates: 1.5 }, 'candidates must be a whole number, not 1.5'],
      [{ candidates: '5' }, 'candidates must be'],
      [{ candidates: 5, stage: 'fast' }, 'candidates requires stage "two_stage", not "fast"'],
      [{ stage: 'three' }, 'stage must be one of two_stage, exact, fast, not "three"'],
      [{ stage: 'two_stage', documents: [] }, 'documents must not be empty'],
      [{ stage: 'two_stage', documents: ['a', ''] }, 'Cannot tokenize empty string'],
    ])('%j is rejected', async (body, message) => {
      const { status, text } = await answer(open(), '/rerank', { query: 'a', documents: ['b'], ...body });
      expect([status, text]).toEqual([422, expect.stringContaining(message)]);
    });
  });
});

describe('the static form is opened by the first request for it', () => {
  let threads: Worker[] = [];
  const seen = (worker: Worker): void => void threads.push(worker);
  beforeAll(() => void process.on('worker', seen));
  afterAll(() => void process.off('worker', seen));

  test('before that, it has no thread', async () => {
    threads = [];
    const open = await openApp('two-forms');
    const plain = threads.length;
    await answer(open, '/embed', { inputs: 'a' });
    expect({ threads: threads.length, stats: open.engine.stats() }).toEqual({
      threads: plain,
      stats: { queued: 0, workers: 1 },
    });
    const requests = Array.from({ length: 5 }, () => answer(open, '/embed', { inputs: 'a', stage: 'fast' }));
    expect(new Set((await Promise.all(requests)).map(({ status }) => status))).toEqual(new Set([200]));
    expect({ threads: threads.length, stats: open.engine.stats() }).toEqual({
      threads: plain + 1,
      stats: { queued: 0, workers: 2 },
    });
    await open.close();
  });

  test('a table of another size, or none, is reported at the start', async () => {
    const path = join(folder(), 'damaged');
    cpSync(builtAssets('two-forms'), path, { recursive: true });
    const table = join(path, ASSETS.static);
    const bytes = readFileSync(table);
    const opened = (): Promise<unknown> => openServingEngine(path, { limits: DEFAULT_LIMITS });
    writeFileSync(table, bytes.subarray(0, -4));
    await expect(opened()).rejects.toThrow('is corrupted: section `static`');
    renameSync(table, join(folder(), 'elsewhere'));
    await expect(opened()).rejects.toThrow('is corrupted: section `static`');
  });
});

interface Document {
  readonly paths: Readonly<Record<string, { readonly post?: { readonly requestBody?: unknown } }>>;
  readonly components: { readonly schemas: Readonly<Record<string, unknown>> };
}

/** Replaces references to the schemas of a document with these schemas. */
const resolved = ({ components }: Document, value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, part: { readonly $ref?: string } | null) =>
    part?.$ref ? components.schemas[part.$ref.split('/').at(-1) ?? ''] : part,
  );
