import { expect } from 'vitest';
import { largestDifference, TOLERANCE } from '../helpers/close.ts';
import { readGolden } from '../helpers/golden.ts';
import { ask, post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifiesServed } from './verifies.ts';

const serve = shareServers();
const parsed = async (url: string, body: unknown): Promise<unknown> => {
  const { status, text } = await post(url, body);
  expect(status, text).toBe(200);
  return JSON.parse(text);
};
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

const query = 'Where does Anna live?';
const DOCUMENTS = ['Ben likes tea.', 'Anna lives in Paris.', 'Nothing of the kind.'];
const LONG = 'word '.repeat(500);

/** Indexes of the documents, ranked by the logits of /predict. */
async function rankingOf(url: string): Promise<{ index: number; logit: number }[]> {
  const inputs = DOCUMENTS.map((text) => [query, text]);
  const { results } = (await parsed(`${url}/predict`, { inputs })) as { results: { logits: [number] }[] };
  return results.map(({ logits: [logit] }, index) => ({ index, logit })).sort((a, b) => b.logit - a.logit);
}

verifiesServed('http:rerank:cohere', async (arm) => {
  const { url } = await serve(arm, 'reranker');
  const order = await rankingOf(url);
  for (const version of ['1', '2']) {
    const path = `${url}/v${version}/rerank`;
    const answer = (await parsed(path, { model: 'any', query, documents: DOCUMENTS })) as {
      results: { index: number; relevance_score: number }[];
    };
    expect(answer).toMatchObject({ model: 'reranker', meta: { api_version: { version } } });
    expect(answer.results.map(({ index }) => index)).toEqual(order.map(({ index }) => index));
    for (const [at, { relevance_score }] of answer.results.entries())
      expect(relevance_score).toBeCloseTo(sigmoid(order[at]?.logit ?? 0), 5);
    const documents = DOCUMENTS.map((text) => ({ text }));
    expect(
      await parsed(path, { query, documents, top_n: 1, return_documents: true, max_chunks_per_doc: 3 }),
    ).toMatchObject({ results: [{ document: { text: DOCUMENTS[order[0]?.index ?? 0] } }] });
    expect(await parsed(path, { query, documents: ['a', LONG] })).toMatchObject({
      meta: {
        warnings: [
          '1 of 2 documents was truncated: a query and a document can have at most 128 tokens together.',
        ],
      },
      usage: { truncated_inputs: 1 },
    });
    const three = 'word word word';
    const tokenized = await parsed(`${url}/tokenize`, { inputs: three, add_special_tokens: false });
    const [tokens] = tokenized as [unknown[]];
    const shortened = { query, documents: [LONG], max_tokens_per_doc: tokens.length };
    expect(await parsed(path, shortened)).toHaveProperty(
      'results',
      ((await parsed(path, { query, documents: [three] })) as { results: unknown }).results,
    );
  }
  expect(await post(`${url}/v2/rerank`, { query })).toMatchObject({
    status: 422,
    text: '{"message":"documents is missing"}',
  });
  expect(JSON.parse((await post(`${url}/v1/rerank`, { query })).text)).toMatchObject({
    error: { message: 'documents is missing' },
  });
  const other = await serve(arm, 'embedder');
  expect(await post(`${other.url}/v2/rerank`, { query, documents: DOCUMENTS })).toMatchObject({
    status: 404,
    text: '{"message":"/v2/rerank requires a sequence_classification model with one label or a multi_vector model, but embedder is an embedding model."}',
  });
});

verifiesServed('http:tei', async (arm) => {
  const { url } = await serve(arm, 'embedder');
  const golden = readGolden('embedder').slice(0, 4);
  const inputs = golden.map(({ text }) => text);
  const { data } = (await parsed(`${url}/v1/embeddings`, { input: inputs })) as {
    data: { embedding: number[] }[];
  };
  const vectors = data.map(({ embedding }) => embedding);
  expect(await parsed(`${url}/embed`, { inputs })).toEqual(vectors);
  expect(await parsed(`${url}/embed`, { inputs: inputs[0], truncate: true })).toEqual([vectors[0]]);
  expect(await parsed(`${url}/`, { inputs })).toEqual(vectors);
  const all = (await parsed(`${url}/embed_all`, { inputs })) as number[][][];
  for (const [at, rows] of all.entries()) {
    expect(rows.length).toBe(golden[at]?.input_ids.length);
    for (const [row, values] of rows.entries())
      expect(largestDifference(values, golden[at]?.embeddings?.[row] ?? [])).toBeLessThan(TOLERANCE);
  }
  const [source = '', ...sentences] = inputs;
  const similar = (await parsed(`${url}/similarity`, {
    inputs: { source_sentence: source, sentences },
  })) as number[];
  const [first = [], ...others] = vectors;
  const cosines = others.map((other) => other.reduce((sum, x, at) => sum + x * (first[at] ?? 0), 0));
  expect(largestDifference(similar, cosines)).toBeLessThan(TOLERANCE);
  expect(JSON.parse((await ask(`${url}/info`)).text)).toMatchObject({
    model_id: 'embedder',
    model_type: { embedding: { pooling: 'mean' } },
    auto_truncate: true,
  });

  const reranker = await serve(arm, 'reranker');
  const order = await rankingOf(reranker.url);
  expect(await parsed(`${reranker.url}/rerank`, { query, texts: DOCUMENTS, raw_scores: true })).toEqual(
    order.map(({ index, logit }) => ({ index, score: logit })),
  );
  expect(
    await parsed(`${reranker.url}/rerank`, { query, texts: DOCUMENTS, truncate: true, return_text: true }),
  ).toMatchObject(order.map(({ index }) => ({ index, text: DOCUMENTS[index] })));
});

verifiesServed('http:tei:predict', async (arm) => {
  const { url } = await serve(arm, 'sentiment');
  const contract = (await parsed(`${url}/predict`, { inputs: ['I love this'], top_k: 2 })) as {
    results: [{ logits: number[]; top: { label: string; score: number }[] }];
  };
  const [{ logits, top }] = contract.results;
  const labels = top.map(({ label, score }) => ({ label, score }));
  expect(await parsed(`${url}/predict`, { inputs: 'I love this' })).toEqual(labels);
  expect(await parsed(`${url}/predict`, { inputs: [['I love this']], raw_scores: false })).toEqual([labels]);
  expect(await parsed(`${url}/predict`, { inputs: 'I love this', parameters: { top_k: 1 } })).toEqual([
    labels.slice(0, 1),
  ]);
  expect(await parsed(`${url}/`, { inputs: 'I love this' })).toEqual([labels]);
  const [raw = []] = (await parsed(`${url}/`, { inputs: 'I love this', raw_scores: true })) as {
    score: number;
  }[][];
  expect(raw.map(({ score }) => score)).toEqual(logits.toSorted((a, b) => b - a));
  // Neither API has these fields in this position, so the body is parsed in our own format, and is invalid.
  for (const member of [{ top_k: 1 }, { metadata: { source: 'a' } }]) {
    expect(await post(`${url}/predict`, { inputs: 'I love this', ...member })).toMatchObject({
      status: 422,
      text: 'inputs must be a list of texts, not "I love this"',
    });
  }
  const pair = await parsed(`${url}/predict`, { inputs: [['a', 'b']] });
  expect(pair).toHaveProperty('model_id', 'sentiment');

  const ner = await serve(arm, 'ner');
  const { results } = (await parsed(`${ner.url}/predict`, {
    inputs: ['Anna lives in Berlin.'],
    aggregation: 'simple',
  })) as { results: [{ entities: object[] }] };
  expect(await parsed(`${ner.url}/`, { inputs: 'Anna lives in Berlin.' })).toEqual(results[0].entities);
});

verifiesServed('http:tei:errors', async (arm) => {
  const { url } = await serve(arm, 'sentence');
  const sparse =
    '/embed_sparse requires a model with sparse vectors, but sentence is a sentence_embedding model. Use /embed.';
  for (const [path, body, status, error] of [
    ['/embed', { inputs: '' }, 422, 'Cannot tokenize empty string'],
    ['/embed_sparse', { inputs: 'a' }, 404, sparse],
    [
      '/embed_all',
      { inputs: 'a' },
      404,
      '/embed_all requires an embedding model, but sentence is a sentence_embedding model, which returns one vector per text. Use /embed.',
    ],
  ] as const) {
    const answer = await post(`${url}${path}`, body);
    expect(answer).toMatchObject({ status, type: 'application/json' });
    expect(JSON.parse(answer.text)).toEqual({ error, error_type: 'Validation' });
  }
  const other = await serve(arm, 'sentiment');
  expect(JSON.parse((await post(`${other.url}/embed`, { inputs: 'a' })).text)).toMatchObject({
    error:
      '/embed requires an embedding model, but sentiment is a sequence_classification model. Use /predict.',
  });
  const locked = await serve(arm, 'sentiment', ['--api-key', 'secret']);
  expect((await post(`${locked.url}/`, { inputs: 'a' })).status).toBe(401);
  const key = { authorization: 'Bearer secret' };
  expect((await post(`${locked.url}/`, { inputs: 'a' }, key)).status).toBe(200);
});

verifiesServed('http:truncated', async (arm) => {
  const { url } = await serve(arm, 'embedder');
  const answer = await post(`${url}/predict`, { inputs: [LONG, 'a', LONG], normalize: true });
  expect(answer.headers).toMatchObject({ 'x-truncated-inputs': '2', 'x-truncated-indexes': '0,2' });
  expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['results', 'model_id']);
  const { usage } = (await parsed(`${url}/v1/embeddings`, { input: [LONG, 'a'] })) as { usage: object };
  expect(usage).toHaveProperty('truncated_inputs', 1);
  const short = (await parsed(`${url}/v1/embeddings`, { input: 'a' })) as { usage: object };
  expect(Object.keys(short.usage)).toEqual(['prompt_tokens', 'total_tokens']);
  for (const [path, body] of [
    ['/predict', { inputs: [LONG], normalize: true, truncate: false }],
    ['/v1/embeddings', { input: LONG, truncate: 'NONE' }],
    ['/embed', { inputs: LONG, truncate: false }],
  ] as const) {
    const refused = await post(`${url}${path}`, body);
    expect(refused.status).toBe(422);
    expect(refused.text).toContain('Input 0 is too long: it has more than 128 tokens');
  }
  const strict = await serve(arm, 'embedder', ['--on-overflow', 'error']);
  expect((await post(`${strict.url}/embed`, { inputs: LONG })).status).toBe(422);
  expect((await post(`${strict.url}/embed`, { inputs: LONG, truncate: true })).status).toBe(200);
});

verifiesServed('http:openai:foreign-tokens', async (arm) => {
  const { url } = await serve(arm, 'embedder');
  const way = "Send texts; in LangChain's OpenAIEmbeddings, set check_embedding_ctx_length=False.";
  const small = await post(`${url}/v1/embeddings`, { input: [[40, 1093]] });
  expect(small.status).toBe(422);
  expect(small.text).toContain('The ids come from another tokenizer, or special tokens are missing');
  expect(small.text).toContain(way);
  const large = await post(`${url}/v1/embeddings`, { input: [[40, 100_000]] });
  expect(large.status).toBe(422);
  expect(large.text).toContain('which comes from another tokenizer');
  expect(large.text).toContain(way);
});
