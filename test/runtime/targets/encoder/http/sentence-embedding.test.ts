/* oxlint-disable vitest/expect-expect -- expectVectors contains the assertions. */
import { describe, expect, test } from 'vitest';
import { expectVectors, predictVectors, prompts, texts, variantWith } from '../sentence-vectors.ts';
import { useApp } from './open-app.ts';

describe('a model with its own settings', () => {
  const open = useApp('sentence');

  test('uses mean pooling, normalizes, and truncates at the length in sentence_bert_config.json', async () => {
    expectVectors(await predictVectors(open(), {}), variantWith({ normalize: true }));
  });

  test.each(Object.keys(prompts))('adds its prompt %s before each text', async (prompt_name) => {
    expectVectors(
      await predictVectors(open(), { prompt_name }),
      variantWith({ normalize: true, prompt_name }),
    );
  });

  test('an empty, null or omitted prompt name means no prompt if there is no default', async () => {
    const plain = await predictVectors(open(), {});
    for (const prompt_name of ['', null])
      expect(await predictVectors(open(), { prompt_name })).toEqual(plain);
  });

  test('returns its settings in GET /model', async () => {
    const response = await open().app.request('/model');
    expect(await response.json()).toEqual({
      model_id: 'sentence',
      model_type: 'sentence_embedding',
      version: '1.0.0',
      pooling: 'mean',
      normalize: true,
      dimensions: 32,
      int8_scale: 1 / 127,
      prompts,
    });
  });

  test.each([
    [{ prompt_name: 'nope' }, 'prompt_name must be one of query, passage, document, not "nope"'],
    [
      { prompt_name: 'constructor' },
      'prompt_name must be one of query, passage, document, not "constructor"',
    ],
    [{ prompt_name: 7 }, 'prompt_name must be one of query, passage, document, not 7'],
    [{ dimensions: 33 }, 'dimensions must be at most 32, not 33'],
    [{ dimensions: 0 }, 'dimensions must be at least 1, not 0'],
    [{ dimensions: 1.5 }, 'dimensions must be a whole number, not 1.5'],
    [{ normalize: 'yes' }, 'normalize must be true or false, not "yes"'],
    [{ inputs: [''] }, 'Cannot tokenize empty string'],
    [{ inputs: [], prompt_name: 'query' }, 'Cannot tokenize empty string'],
    [
      { pooling: 'cls' },
      'unknown key "pooling" (known keys: inputs, normalize, dimensions, prompt_name, prompt, instruction, stage, truncate, truncation_direction, metadata)',
    ],
  ])('rejects %j with 422', async (body, message) => {
    const response = await open().post('/predict', { inputs: ['a'], ...body });
    expect([response.status, await response.text()]).toEqual([422, message]);
  });

  test('POST /tokenize returns the tokens that the model receives', async () => {
    const tokens = async (body: object): Promise<string[]> => {
      const response = await open().post('/tokenize', { inputs: ['a dog'], ...body });
      expect(response.status).toBe(200);
      const [first = []] = (await response.json()) as { text: string }[][];
      return first.map(({ text }) => text);
    };
    expect(await tokens({})).toEqual(['[CLS]', 'a', 'dog', '[SEP]']);
    expect((await tokens({ prompt_name: 'passage' })).join(' ')).toMatch(
      /^\[CLS\] a te.* about a dog \[SEP\]$/,
    );
    const refused = await open().post('/tokenize', { inputs: ['a'], prompt_name: 'x' });
    expect([refused.status, await refused.text()]).toEqual([
      422,
      'prompt_name must be one of query, passage, document, not "x"',
    ]);
  });
});

describe('POST /v1/embeddings', () => {
  const open = useApp('sentence');
  const post = async (body: object): Promise<number[][]> => {
    const response = await open().post('/v1/embeddings', { input: texts, ...body });
    expect(response.status).toBe(200);
    const { data } = (await response.json()) as { data: { embedding: number[] }[] };
    return data.map(({ embedding }) => embedding);
  };

  test.each([null, 'query', 'passage'])(
    'with the prompt %s returns the same vectors as sentence-transformers',
    async (name) => {
      expectVectors(await post({ prompt_name: name }), variantWith({ normalize: true, prompt_name: name }));
    },
  );

  test('returns the same vectors as base64', async () => {
    const response = await open().post('/v1/embeddings', { input: texts, encoding_format: 'base64' });
    const { data } = (await response.json()) as { data: { embedding: string }[] };
    const vectors = data.map(({ embedding }) => [
      ...new Float32Array(Uint8Array.from(Buffer.from(embedding, 'base64')).buffer),
    ]);
    expectVectors(vectors, variantWith({ normalize: true }));
  });

  test('token IDs are used unchanged, and get no prompt', async () => {
    const tokenized = await open().post('/tokenize', { inputs: texts });
    const tokens = (await tokenized.json()) as { id: number }[][];
    const input = tokens.map((row) => row.map(({ id }) => id));
    expectVectors(await post({ input }), variantWith({ normalize: true }));
    const refused = await open().post('/v1/embeddings', { input: [2, 3], prompt_name: 'query' });
    expect(refused.status).toBe(422);
    expect(await refused.json()).toMatchObject({
      error: {
        message:
          'prompt_name requires text inputs, but the input contains token ids. Prepend the token ids of the prompt instead.',
      },
    });
  });
});
