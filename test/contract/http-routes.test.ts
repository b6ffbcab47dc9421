import { NotFoundError, OpenAI } from 'openai';
import { expect } from 'vitest';
import { type IntegerType, toIntegers, VECTOR_TYPES, type VectorType } from '#core/vectors/vector-types.ts';
import { largestDifference, TOLERANCE } from '../helpers/close.ts';
import { readGolden } from '../helpers/golden.ts';
import { readGoldenLateChunks } from '../helpers/golden-late-chunks.ts';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();

/** The L2-normalized mean of a text's token vectors, including special tokens. */
function meanOf(rows: readonly (readonly number[])[]): number[] {
  const sums = (rows[0] ?? []).map((_, at) => rows.reduce((sum, row) => sum + (row[at] ?? 0), 0));
  const length = Math.hypot(...sums);
  return sums.map((sum) => sum / length);
}

verifiesServed('http:openai', async (arm) => {
  const { url } = await serve(arm, 'embedder');
  const client = new OpenAI({ apiKey: 'any', baseURL: `${url}/v1`, maxRetries: 0 });
  const golden = readGolden('embedder').slice(0, 8);
  const input = golden.map(({ text }) => text);
  const { data, usage, model } = await client.embeddings.create({ model: 'any', input });
  expect(model).toBe('embedder');
  const tokens = golden.reduce((sum, { input_ids }) => sum + input_ids.length, 0);
  expect(usage).toEqual({ prompt_tokens: tokens, total_tokens: tokens });
  for (const [at, { index, embedding }] of data.entries()) {
    expect(index).toBe(at);
    expect(largestDifference(embedding, meanOf(golden[at]?.embeddings ?? []))).toBeLessThan(TOLERANCE);
  }
  const ids = await client.embeddings.create({
    model: 'any',
    input: golden[0]?.input_ids ?? [],
    dimensions: 4,
    encoding_format: 'float',
  });
  expect(ids.data[0]?.embedding).toHaveLength(4);
  expect(Math.hypot(...(ids.data[0]?.embedding ?? []))).toBeCloseTo(1, 5);

  const [listed] = (await client.models.list()).data;
  expect(listed).toMatchObject({ id: 'embedder', object: 'model', owned_by: 'encoderfile' });
  expect(await client.models.retrieve('embedder')).toEqual(listed);
  await expect(client.models.retrieve('gpt')).rejects.toThrow(NotFoundError);
});

verifiesServed('http:openai:errors', async (arm) => {
  const embedder = await serve(arm, 'embedder');
  const sentiment = await serve(arm, 'sentiment');
  const invalid = { type: 'invalid_request_error', param: null };
  const noEmbeddings =
    '/v1/embeddings requires an embedding model, but sentiment is a sequence_classification model. Use /predict.';
  for (const [url, body, status, error] of [
    [embedder.url, { input: '' }, 422, { ...invalid, message: 'Cannot tokenize empty string', code: null }],
    [embedder.url, {}, 422, { ...invalid, message: 'input is missing', code: null }],
    [
      embedder.url,
      { input: 'a', dimensions: 99 },
      422,
      { ...invalid, message: 'dimensions must be at most 32, not 99', code: null },
    ],
    [
      embedder.url,
      '{',
      400,
      { ...invalid, message: 'The body is not valid JSON: unexpected end of input.', code: null },
    ],
    [sentiment.url, { input: 'a' }, 404, { ...invalid, message: noEmbeddings, code: 'not_found' }],
  ] as const) {
    const answer = await post(`${url}/v1/embeddings`, body);
    expect(answer, JSON.stringify(body)).toMatchObject({ status, type: 'application/json' });
    expect(JSON.parse(answer.text)).toEqual({ error });
  }
  const unknown = await ask(`${embedder.url}/v1/models/gpt`);
  expect(unknown.status).toBe(404);
  expect(JSON.parse(unknown.text)).toEqual({
    error: {
      ...invalid,
      message: 'Model not found: "gpt". This server only serves "embedder".',
      code: 'not_found',
    },
  });
});

verifiesServed('http:vector-types', async (arm) => {
  const { url } = await serve(arm, 'sentence');
  const texts = ['a dog', 'the hotel was good'];
  const answer = await post(`${url}/v2/embed`, { texts, embedding_types: VECTOR_TYPES });
  const { embeddings } = JSON.parse(answer.text) as { embeddings: Record<VectorType, number[][]> };
  const { float, ...integers } = embeddings;
  expect(float).toHaveLength(texts.length);
  for (const [type, vectors] of Object.entries(integers)) {
    const wanted = float.map((vector) => [...toIntegers(Float32Array.from(vector), type as IntegerType)]);
    expect([type, vectors]).toEqual([type, wanted]);
    const { text } = await post(`${url}/v1/embeddings`, { input: texts, output_dtype: type });
    const { data } = JSON.parse(text) as { data: { embedding: number[] }[] };
    expect([type, data.map(({ embedding }) => embedding)]).toEqual([type, wanted]);
  }
  const other = await serve(arm, 'sentiment');
  expect(await post(`${other.url}/v2/embed`, { texts })).toMatchObject({
    status: 404,
    text: JSON.stringify({
      message:
        '/v2/embed requires an embedding model, but sentiment is a sequence_classification model. Use /predict.',
    }),
  });
});

verifiesServed('http:late-chunking', async (arm) => {
  const { url } = await serve(arm, 'sentence');
  const embed = async (body: object): Promise<number[][]> => {
    const { text } = await post(`${url}/v1/embeddings`, body);
    return (JSON.parse(text) as { data: { embedding: number[] }[] }).data.map(({ embedding }) => embedding);
  };
  for (const { prompt, parts, vectors } of readGoldenLateChunks()) {
    const found = await embed({ input: parts, prompt, normalize: false, late_chunking: true });
    expect(found).toHaveLength(parts.length);
    for (const [at, vector] of found.entries())
      expect(largestDifference(vector, vectors[at] ?? [])).toBeLessThan(TOLERANCE);
  }
  const pooled = await serve(arm, 'sentence-pooled');
  const { status, text } = await post(`${pooled.url}/v1/embeddings`, { input: 'a', late_chunking: true });
  expect([status, text]).toEqual([422, expect.stringContaining('the pooling of sentence-pooled is none')]);
});

const DOCUMENTS = ['Ben likes tea.', 'Anna lives in Paris.', 'Nothing of the kind.'];

verifiesServed('http:rerank', async (arm) => {
  const { url } = await serve(arm, 'reranker');
  const query = 'Where does Anna live?';
  const inputs = DOCUMENTS.map((text) => [query, text]);
  const { results } = JSON.parse((await post(`${url}/predict`, { inputs })).text) as {
    results: { logits: [number] }[];
  };
  const order = results
    .map(({ logits: [logit] }, index) => ({ index, logit }))
    .sort((a, b) => b.logit - a.logit);
  const all = await post(`${url}/rerank`, { query, documents: DOCUMENTS, raw_scores: true });
  expect(JSON.parse(all.text)).toEqual({
    results: order.map(({ index, logit }) => ({ index, relevance_score: logit })),
    model_id: 'reranker',
    meta: { tokens: { input_tokens: expect.any(Number) as number } },
  });
  const documents = DOCUMENTS.map((text) => ({ text }));
  const best = await post(`${url}/rerank`, { query, documents, top_n: 1, return_documents: true });
  const [first] = order;
  expect(JSON.parse(best.text)).toMatchObject({
    results: [{ index: first?.index, document: { text: DOCUMENTS[first?.index ?? 0] } }],
  });
  const { relevance_score } = (JSON.parse(best.text) as { results: [{ relevance_score: number }] })
    .results[0];
  expect(relevance_score).toBeCloseTo(1 / (1 + Math.exp(-(first?.logit ?? 0))), 5);

  expect(await post(`${url}/rerank`, { query })).toMatchObject({
    status: 422,
    text: 'documents or texts is missing',
  });
  const other = await serve(arm, 'sentiment');
  expect(await post(`${other.url}/rerank`, { query, documents: DOCUMENTS })).toMatchObject({
    status: 404,
    text: '/rerank requires a sequence_classification model with one label or a multi_vector model, but sentiment is a sequence_classification model with 2 labels.',
  });
});

verifiesServed('http:tokenize', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const golden = readGolden('sentiment').slice(0, 20);
  const { status, text } = await post(`${url}/tokenize`, { inputs: golden.map((one) => one.text) });
  expect(status).toBe(200);
  expect(JSON.parse(text)).toEqual(
    golden.map(({ input_ids, tokens, special_tokens_mask, offsets }) =>
      input_ids.map((id, at) => {
        const special = special_tokens_mask[at] === 1;
        const [start, end] = offsets[at] ?? [];
        return { id, text: tokens[at], special, start: special ? null : start, end: special ? null : end };
      }),
    ),
  );
  const bare = await post(`${url}/tokenize`, { inputs: ['I love this'], add_special_tokens: false });
  expect((JSON.parse(bare.text) as [{ text: string }[]])[0].map((token) => token.text)).toEqual([
    'i',
    'love',
    'this',
  ]);
  const ids = golden[0]?.input_ids;
  expect((await post(`${url}/decode`, { ids })).text).toBe('["i love this"]');
  expect((await post(`${url}/decode`, { ids: [ids, []] })).text).toBe('["i love this",""]');
  expect((await post(`${url}/decode`, { ids, skip_special_tokens: false })).text).toBe(
    '["[CLS] i love this [SEP]"]',
  );
  expect(await post(`${url}/decode`, { ids: [2600] })).toMatchObject({
    status: 422,
    text: 'ids/0 must be at most 2599, not 2600',
  });
});
