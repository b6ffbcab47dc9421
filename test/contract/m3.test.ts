import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { expectClose } from '../helpers/close.ts';
import { expectOutputs, type OutputsRow, readGoldenM3 } from '../helpers/golden-m3.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const golden = readGoldenM3();
const texts = golden.results.map(({ text }) => text);
const ALL = ['dense', 'sparse', 'multi_vector'];

verifiesServed('m3:outputs', async (arm) => {
  const served = await serve(arm, 'm3');
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'SentenceEmbedding');
    const named = (outputs: readonly string[]): string[] =>
      outputs.map((name) => (transport.name === 'grpc' ? `EMBEDDING_OUTPUT_${name.toUpperCase()}` : name));
    const rowsOf = async (inputs: readonly string[], outputs?: readonly string[]): Promise<OutputsRow[]> =>
      (await client.predict({ inputs, ...(outputs ? { outputs: named(outputs) } : {}) }))
        .results as OutputsRow[];
    expectOutputs(await rowsOf(texts, ALL), golden.results, ALL, transport.name);
    expectOutputs(await rowsOf(texts), golden.results, ['dense'], transport.name);
    // Texts of several requests in one batch, each with the outputs of its own request.
    const separate = await Promise.all(ALL.map((name) => rowsOf(texts.slice(0, 4), [name])));
    for (const [at, rows] of separate.entries())
      expectOutputs(rows, golden.results.slice(0, 4), [ALL[at] ?? ''], transport.name);
    await expect(client.predict({ inputs: ['a'], outputs: ['colbert'] })).rejects.toMatchObject(
      transport.name === 'grpc' ? {} : { code: transport.inputError },
    );
    await client.close();
  }
});

verifiesServed('m3:options', async (arm) => {
  const served = await serve(arm, 'm3');
  const predict = async (body: object): Promise<OutputsRow> => {
    const { status, text } = await post(`${served.url}/predict`, { inputs: texts.slice(0, 1), ...body });
    expect(status, text).toBe(200);
    return (JSON.parse(text) as { results: [OutputsRow] }).results[0];
  };
  const [first] = golden.results;
  const two = await predict({ outputs: ALL, max_active_dims: 2, tokens: true });
  expect(two.sparse?.indices).toEqual([13, 219]);
  expect(two.sparse?.tokens).toHaveLength(2);
  expectClose(two.embedding, first?.embedding, 'the first of three outputs');
  const raw = await predict({ outputs: ['dense', 'multi_vector'], normalize: false, dimensions: 5 });
  expectClose(raw.embedding, golden.raw_5.embedding, 'dense');
  expectClose(raw.vectors?.flat() as number[], golden.raw_5.vectors.flat(), 'multi_vector');
  // `tokens` has no effect on results without a sparse vector.
  expect(Object.keys(await predict({ tokens: true }))).toEqual(['embedding']);
  const refused = async (body: object, model = served): Promise<string> =>
    (await post(`${model.url}/predict`, { inputs: ['a'], ...body })).text;
  expect(await refused({ outputs: ['colbert'] })).toBe(
    'outputs/0 must be one of dense, sparse, multi_vector, not "colbert"',
  );
  expect(await refused({ outputs: [] })).toContain('outputs must');
  expect(await refused({ outputs: ['dense'] }, await serve(arm, 'sentence'))).toMatch(
    /^unknown key "outputs"/,
  );
  for (const transport of TRANSPORTS) {
    if (transport.name !== 'grpc') continue;
    const client = await transport.connect(await serve(arm, 'sentence'), 'SentenceEmbedding');
    const sparse = { inputs: ['a'], outputs: ['EMBEDDING_OUTPUT_SPARSE'] };
    await expect(client.predict(sparse)).rejects.toMatchObject({
      code: transport.inputError,
      message:
        'outputs can only be dense, because sentence has no sparse and multi-vector outputs. Use a model with both, such as BAAI/bge-m3.',
    });
    await client.close();
  }
});

verifiesServed('m3:routes', async (arm) => {
  const { url } = await serve(arm, 'm3');
  const ask = async (path: string, body: object): Promise<unknown> => {
    const { status, text } = await post(url + path, body);
    expect(status, text).toBe(200);
    return JSON.parse(text);
  };
  const inputs = texts.slice(0, 3);
  const expected = golden.results.slice(0, 3);
  const dense = expected.map(({ embedding }) => embedding);
  expectClose(((await ask('/embed', { inputs })) as number[][]).flat(), dense.flat(), '/embed');
  const { data } = (await ask('/v1/embeddings', { input: inputs, model: 'm3' })) as {
    data: { embedding: number[] }[];
  };
  expectClose(
    data.flatMap(({ embedding }) => embedding),
    dense.flat(),
    '/v1/embeddings',
  );
  const sparse = (await ask('/embed_sparse', { inputs })) as { index: number; value: number }[][];
  for (const [at, row] of sparse.entries()) {
    expect(row.map(({ index }) => index)).toEqual(expected[at]?.sparse.indices);
    expectClose(
      row.map(({ value }) => value),
      expected[at]?.sparse.values,
      '/embed_sparse',
    );
  }
  const [source_sentence = '', ...sentences] = inputs;
  const similar = (await ask('/similarity', { inputs: { source_sentence, sentences } })) as number[];
  const dot = (one: readonly number[], other: readonly number[]): number =>
    one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);
  expectClose(
    similar,
    dense.slice(1).map((one) => dot(dense[0] ?? [], one)),
    '/similarity',
  );
  const json = async (path: string) => (await (await fetch(url + path)).json()) as Record<string, unknown>;
  expect(await json('/model')).toMatchObject({
    model_type: 'sentence_embedding',
    pooling: 'cls',
    normalize: true,
    dimensions: 16,
    outputs: ALL,
    multi_vector_dimensions: 8,
  });
  const { paths, components } = (await json('/openapi.json')) as {
    paths: object;
    components: { schemas: Record<string, { properties: object }> };
  };
  expect(Object.keys(paths)).toEqual(expect.arrayContaining(['/embed_sparse', '/embed', '/rerank']));
  expect(components.schemas['PredictRequest']?.properties).toHaveProperty('outputs');
  expect(components.schemas['EmbeddingOutputsResult']?.properties).toHaveProperty('sparse');
});

verifiesServed('m3:rerank', async (arm) => {
  const { url } = await serve(arm, 'm3');
  type Results = { results: { index: number; relevance_score: number }[] };
  const scores = async (body: object, path = '/rerank'): Promise<number[]> => {
    const { status, text } = await post(url + path, { documents: texts, ...body });
    expect(status, text).toBe(200);
    const { results } = JSON.parse(text) as Results;
    expect(results.map((one) => one.relevance_score)).toEqual(
      results.map((one) => one.relevance_score).toSorted((left, right) => right - left),
    );
    return results.toSorted((left, right) => left.index - right.index).map((one) => one.relevance_score);
  };
  for (const { weights: all, scores: expected } of golden.ranks) {
    const weights = Object.fromEntries(Object.entries(all).filter(([, weight]) => weight > 0));
    for (const [at, query] of golden.queries.entries())
      expectClose(await scores({ query, weights }), expected[at], JSON.stringify(weights), 1e-4);
  }
  // Routes of other APIs also return only dense vectors by default.
  const [query = ''] = golden.queries;
  const dense = await scores({ query, weights: { dense: 3 } });
  expect(await scores({ query })).toEqual(dense);
  expect(await scores({ query }, '/v2/rerank')).toEqual(dense);
  const refused = async (weights: object): Promise<string> =>
    (await post(`${url}/rerank`, { query, documents: ['a'], weights })).text;
  expect(await refused({ sparse: 0 })).toBe('weights/sparse must be greater than 0, not 0');
  expect(await refused({})).toBe('weights must not be empty');
  expect(await refused({ colbert: 1 })).toContain('unknown key "colbert"');
});

verifies('m3:infer', async (arm) => {
  const infer = (...args: string[]) => arm.run('m3', ['infer', ...args]);
  const printable = golden.results.filter(({ text }) => text.trim() !== '');
  const { stdout } = await infer('--outputs', ALL.join(','), '--', ...printable.map(({ text }) => text));
  const { embeddings } = JSON.parse(stdout) as { embeddings: OutputsRow[] };
  expectOutputs(embeddings, printable, ALL, 'infer');
  const input = join(folder(), 'texts.txt');
  writeFileSync(input, `${texts[0]}\n`);
  const flags = ['--input', input, '--outputs=sparse', '--tokens', '--max-active-dims=2'];
  const line = JSON.parse((await infer(...flags)).stdout) as OutputsRow;
  expect(line).toMatchObject({ index: 0, sparse: { indices: [13, 219] } });
  expect(line.sparse?.tokens).toHaveLength(2);
  const plain = JSON.parse((await infer('--input', input)).stdout) as OutputsRow;
  expectOutputs([plain], golden.results.slice(0, 1), ['dense'], 'a line');
  const refusals: [model: string, args: string[], message: string][] = [
    ['m3', ['--outputs=colbert'], '--outputs must contain only dense, sparse, multi_vector, not "colbert"'],
    [
      'm3',
      ['--tokens'],
      '--tokens requires a sparse vector, which a sentence_embedding model only returns with',
    ],
    ['sentence', ['--outputs=sparse'], '--outputs can only be dense, because sentence has no sparse and'],
    ['embedder', ['--outputs=dense'], '--outputs requires a sentence_embedding model, but this is'],
  ];
  for (const [model, args, message] of refusals) {
    const { exitCode, stderr } = await arm.run(model, ['infer', 'a', ...args]);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(message);
  }
  expect((await arm.run('m3', ['inspect'])).stdout).toMatch(
    /^Outputs +dense, sparse, multi_vector \(8 dimensions\)$/m,
  );
});
