import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { expectClose } from '../helpers/close.ts';
import { goldenMultiVector, readGoldenMultiVector } from '../helpers/golden-multi-vector.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { type TokenVector, TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const { queries, documents } = readGoldenMultiVector();
const saved = goldenMultiVector('saved');

verifiesServed('multi-vector:wires', async (arm) => {
  const served = await serve(arm, 'multi-vector');
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'MultiVector');
    const type = (name: string): string => (transport.name === 'grpc' ? name.toUpperCase() : name);
    for (const [role, inputs, expected] of [
      ['query', queries, saved.queries],
      ['document', documents, saved.documents],
    ] as const) {
      const { results } = await client.predict({ inputs, input_type: type(role), metadata: { a: 'b' } });
      expect(results).toHaveLength(inputs.length);
      for (const [at, { vectors = [] }] of results.entries()) {
        const rows = vectors.map(valuesOf);
        expect(rows).toHaveLength(expected[at]?.length ?? 0);
        expectClose(rows.flat(), expected[at]?.flat(), `${transport.name} ${role} ${inputs[at]}`);
      }
    }
    await expect(client.predict({ inputs: ['a'] })).rejects.toMatchObject({
      code: transport.inputError,
      message: expect.stringContaining('input_type') as unknown,
    });
    await client.close();
  }
});

/** Over gRPC, a vector is a message. */
const valuesOf = (vector: TokenVector): readonly number[] => (isMessage(vector) ? vector.values : vector);
const isMessage = (vector: TokenVector): vector is { readonly values: readonly number[] } =>
  !Array.isArray(vector);

verifiesServed('multi-vector:rerank', async (arm) => {
  const { url } = await serve(arm, 'multi-vector');
  const rank = async (path: string, body: object): Promise<unknown> =>
    JSON.parse((await post(`${url}${path}`, body)).text);
  const [query = ''] = queries;
  const expected = (saved.scores[0] ?? [])
    .map((score, index) => ({ index, score }))
    .toSorted((a, b) => b.score - a.score);
  const check = (ranked: { index: number; score: number }[]): void => {
    expect(ranked.map(({ index }) => index)).toEqual(expected.map(({ index }) => index));
    expectClose(
      ranked.map(({ score }) => score),
      expected.map(({ score }) => score),
      query,
      1e-4,
    );
  };
  type Results = { results: { index: number; relevance_score: number }[] };
  for (const path of ['/rerank', '/v1/rerank', '/v2/rerank']) {
    const { results } = (await rank(path, { query, documents })) as Results;
    check(results.map(({ index, relevance_score: score }) => ({ index, score })));
  }
  check((await rank('/rerank', { query, texts: documents })) as { index: number; score: number }[]);
  check(
    (await rank('/rerank', { query, texts: documents, raw_scores: true })) as {
      index: number;
      score: number;
    }[],
  );
  const { results } = (await rank('/rerank', {
    query,
    documents,
    top_n: 1,
    return_documents: true,
  })) as Results;
  expect(results).toEqual([
    {
      index: expected[0]?.index,
      relevance_score: expect.any(Number) as unknown,
      document: { text: documents[expected[0]?.index ?? 0] },
    },
  ]);
  const tooLong = await post(`${url}/rerank`, { query: 'a '.repeat(60), documents: ['a'], truncate: false });
  expect(tooLong).toMatchObject({
    status: 422,
    text: "Input 0 is too long: it has more than 16 tokens, this model's maximum for a query. Shorten it, or allow truncation in the request.",
  });
});

verifiesServed('multi-vector:other-routes', async (arm) => {
  const { url } = await serve(arm, 'multi-vector');
  const refusals: [path: string, text: RegExp][] = [
    [
      '/v1/embeddings',
      /requires an embedding model, but multi-vector is a multi_vector model\. Use \/predict\./,
    ],
    ['/embed', /requires an embedding model, .* Use \/predict\./],
    ['/', /The Inference API has no task for multi-vector, .* Use \/rerank or \/predict\./],
  ];
  for (const [path, text] of refusals) {
    const answer = await post(`${url}${path}`, { inputs: ['a'], input: 'a' });
    expect(answer.status).toBe(404);
    expect(answer.text).toMatch(text);
  }
  const pair = await post(`${url}/predict`, { inputs: [['a', 'b']], input_type: 'query' });
  expect(pair).toMatchObject({
    status: 422,
    text: 'inputs/0 must be text, not a list',
  });
  expect(await (await fetch(`${url}/model`)).json()).toEqual({
    model_id: 'multi-vector',
    model_type: 'multi_vector',
    version: '1.0.0',
    normalize: true,
    dimensions: 8,
    query_prefix: '[Q] ',
    document_prefix: '[D] ',
    query_length: 16,
    document_length: 24,
    do_query_expansion: true,
    attend_to_expansion_tokens: false,
  });
  expect(await (await fetch(`${url}/info`)).json()).toMatchObject({ model_type: { reranker: {} } });
});

verifies('multi-vector:infer', async (arm) => {
  const infer = (...args: string[]): Promise<Answer> => arm.run('multi-vector', ['infer', ...args]);
  const { stdout, exitCode } = await infer('--input-type', 'query', ...queries);
  expect(exitCode).toBe(0);
  const { embeddings } = JSON.parse(stdout) as { embeddings: number[][][] };
  for (const [at, rows] of embeddings.entries())
    expectClose(rows.flat(), saved.queries[at]?.flat(), queries[at] ?? '');
  const raw = await infer('--input-type=query', '--normalize=false', queries[0] ?? '');
  expectClose(
    (JSON.parse(raw.stdout) as { embeddings: number[][][] }).embeddings[0]?.flat(),
    saved.raw?.flat(),
    'raw',
  );
  const input = join(folder(), 'texts.jsonl');
  writeFileSync(input, documents.map((text) => JSON.stringify(text)).join('\n'));
  const lines = (await infer('--input', input, '--input-type=document')).stdout.trimEnd().split('\n');
  for (const [at, line] of lines.entries()) {
    const { vectors } = JSON.parse(line) as { vectors: number[][] };
    expectClose(vectors.flat(), saved.documents[at]?.flat(), documents[at] ?? '');
  }
  expect(await infer('a')).toMatchObject({
    exitCode: 1,
    stdout: '',
    stderr: expect.stringContaining('--input-type is missing') as unknown,
  });
  expect((await arm.run('embedder', ['infer', 'a', '--input-type=query'])).stderr).toBe(
    'Error: --input-type requires a sparse_embedding or multi_vector model, but this is an embedding model. Remove the flag.\n',
  );
});
