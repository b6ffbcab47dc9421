import { describe, expect, test } from 'vitest';
import { rerankResponse } from '#encoder/schemas/rerank.ts';
import { expectToMatch } from './matches.ts';
import { appAround } from './open-app.ts';
import { answeringEngine } from './answering-engine.ts';

/** Scores a document by the number of times that it contains the query. */
const open = appAround(
  answeringEngine({}, (input) => {
    const { text, pair = '' } = input as { text: string; pair?: string };
    return { logits: [pair.split(text).length - 2], scores: [1], predicted_index: 0 };
  }),
);
const documents = ['none', 'tea tea tea', 'tea', 'tea and tea'];
const sigmoid = (x: number): number => 1 / (1 + Math.exp(-x));

interface Answer {
  readonly results: { index: number; relevance_score: number; document?: { text: string } }[];
}

async function rerank(body: Record<string, unknown>): Promise<Answer> {
  const response = await open.post('/rerank', { query: 'tea', ...body });
  expect(response.status).toBe(200);
  const answer = (await response.json()) as Answer;
  expectToMatch(answer, rerankResponse);
  return answer;
}

describe('POST /rerank', () => {
  test('sorts documents by relevance, which is between 0 and 1', async () => {
    const answer = await rerank({ documents });
    expect(answer).toMatchObject({ model_id: 'stand-in', meta: { tokens: { input_tokens: 28 } } });
    expect(answer.results.map(({ index }) => index)).toEqual([1, 3, 2, 0]);
    const scores = answer.results.map(({ relevance_score }) => relevance_score);
    for (const [at, logit] of [2, 1, 0, -1].entries()) expect(scores[at]).toBeCloseTo(sigmoid(logit), 6);
    expect(answer.results[0]).not.toHaveProperty('document');
  });

  test('supports raw_scores, top_n and return_documents', async () => {
    const { results } = await rerank({ documents, raw_scores: true, top_n: 2, return_documents: true });
    expect(results).toEqual([
      { index: 1, relevance_score: 2, document: { text: 'tea tea tea' } },
      { index: 3, relevance_score: 1, document: { text: 'tea and tea' } },
    ]);
  });

  test('accepts objects with a text, another name for documents, and fields of other rerankers', async () => {
    const indexes = async (body: Record<string, unknown>): Promise<number[]> =>
      (await rerank(body)).results.map(({ index }) => index);
    expect(await indexes({ documents: documents.map((text) => ({ text, id: 1 })) })).toEqual([1, 3, 2, 0]);
    expect(await indexes({ texts: documents, model: 'any', max_chunks_per_doc: 3 })).toEqual([1, 3, 2, 0]);
    expect(await indexes({ documents, top_n: null, return_documents: null })).toEqual([1, 3, 2, 0]);
  });

  test.each([
    [{}, 'documents or texts is missing'],
    [{ documents: [] }, 'documents must not be empty'],
    [{ documents: [''] }, 'Cannot tokenize empty string'],
    [{ documents: [3] }, 'documents/0 must be text or an object with a text, not 3'],
    [{ documents: [{ txt: 'a' }] }, 'documents/0/text is missing'],
    [{ documents: 'a' }, 'documents must be a list of texts, not "a"'],
    [{ documents: ['a'], query: 3 }, 'query must be text, not 3'],
    [{ documents: ['a'], top_n: 0 }, 'top_n must be at least 1, not 0'],
  ])('%j is rejected', async (body, message) => {
    const response = await open.post('/rerank', { query: 'tea', ...body });
    expect([response.status, await response.text()]).toEqual([422, message]);
  });

  test('a model with several labels does not have this route, and the OpenAPI document omits it', async () => {
    const other = appAround(answeringEngine({ width: 2 }, () => ({})));
    const response = await other.post('/rerank', { query: 'a', documents: ['b'] });
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(
      'requires a sequence_classification model with one label or a multi_vector model, but ',
    );
    const pathsOf = async (app: typeof open): Promise<string[]> => {
      const document = (await (await app.app.request('/openapi.json')).json()) as { paths: object };
      return Object.keys(document.paths);
    };
    expect(await pathsOf(other)).not.toContain('/rerank');
    expect(await pathsOf(open)).toContain('/rerank');
  });
});
