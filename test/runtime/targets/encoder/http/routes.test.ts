import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { modelMetadata } from '#encoder/schemas/model.ts';
import { decodeResponse, tokenizeResponse } from '#encoder/schemas/tokenize.ts';
import { readGolden } from '#test/helpers/golden.ts';
import { expectToMatch } from './matches.ts';
import { openApp, type OpenApp } from './open-app.ts';

const MODELS = { sentiment: 'sequence_classification', ner: 'token_classification', embedder: 'embedding' };

const LABELS: Record<string, string[]> = {
  sequence_classification: ['NEGATIVE', 'POSITIVE'],
  token_classification: ['O', 'B-PER', 'I-PER', 'B-ORG', 'I-ORG', 'B-LOC', 'I-LOC', 'B-MISC', 'I-MISC'],
};

describe.each(Object.entries(MODELS))('%s', (model, type) => {
  let open: OpenApp | undefined;
  beforeAll(async () => {
    open = await openApp(model);
  });
  afterAll(() => open?.close());
  const opened = (): OpenApp => open ?? expect.unreachable();
  const get = async (path: string): Promise<[number, unknown]> => {
    const response = await opened().app.request(path);
    return [response.status, await response.json()];
  };

  test('GET /health returns "OK!" as JSON', async () => {
    const response = await opened().app.request('/health');
    expect(response.headers.get('Content-Type')).toBe('application/json');
    expect([response.status, await response.text()]).toEqual([200, '"OK!"']);
  });

  test('GET /model returns the name and type, and the labels if the model has any', async () => {
    const [status, body] = await get('/model');
    expect(status).toBe(200);
    expectToMatch(body, modelMetadata);
    expect(body).toMatchObject({ model_id: model, model_type: type });
    const { id2label } = body as { id2label?: Record<string, string> };
    expect(id2label && Object.keys(id2label)).toEqual(LABELS[type]?.map((_, index) => String(index)));
    expect(id2label && Object.values(id2label)).toEqual(LABELS[type]);
  });

  test('POST /tokenize and /decode are inverses of each other', async () => {
    const golden = readGolden(model).slice(0, 12);
    const inputs = golden.map(({ text }) => text);
    const tokenized = await opened().post('/tokenize', { inputs });
    const tokens = (await tokenized.json()) as {
      id: number;
      text: string;
      special: boolean;
      start: number | null;
    }[][];
    expectToMatch(tokens, tokenizeResponse);
    expect(tokens.map((list) => list.map(({ id }) => id))).toEqual(golden.map(({ input_ids }) => input_ids));
    expect(tokens.map((list) => list.map(({ text }) => text))).toEqual(golden.map((one) => one.tokens));
    for (const { special, start } of tokens.flat()) expect(start === null).toBe(special);

    const [first] = golden;
    const bare = await opened().post('/tokenize', { inputs: [first?.text], add_special_tokens: false });
    const [bareTokens = []] = (await bare.json()) as { id: number }[][];
    expect(bareTokens.map(({ id }) => id)).toEqual(first?.input_ids.slice(1, -1));

    const decode = async (body: unknown): Promise<string[]> => {
      const texts = (await (await opened().post('/decode', body)).json()) as string[];
      expectToMatch(texts, decodeResponse);
      return texts;
    };
    const [whole = ''] = await decode({ ids: first?.input_ids });
    expect(whole.toLowerCase()).toBe(first?.text.toLowerCase());
    expect(await decode({ ids: [first?.input_ids, []] })).toEqual([whole, '']);
    expect((await decode({ ids: first?.input_ids, skip_special_tokens: false }))[0]).toContain('[CLS]');
  });

  test('unknown token IDs are rejected', async () => {
    const response = await opened().post('/decode', { ids: [1, 4_000_000_000] });
    expect(response.status).toBe(422);
    expect(await response.text()).toMatch(/^ids\/1 must be at most \d+, not 4000000000$/);
  });

  test('the error of a model without a single label states why it cannot rerank', async () => {
    const rerank = await opened().post('/rerank', { query: 'a', documents: ['b'] });
    expect(rerank.status).toBe(404);
    expect(await rerank.text()).toContain('/rerank requires a sequence_classification model with one label');
  });
});

test.each(['sentiment', 'ner'])('the error of %s states why it has no /v1/embeddings', async (model) => {
  const open = await openApp(model);
  const response = await open.post('/v1/embeddings', { input: 'a' });
  await open.close();
  expect(response.status).toBe(404);
  expect(await response.json()).toMatchObject({
    error: {
      message: expect.stringMatching(/^\/v1\/embeddings requires an embedding model, but \w+ is a \w+ model/),
    },
  });
});
