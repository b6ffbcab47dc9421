import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { dense, type SparseRow } from '../helpers/golden-masked.ts';
import { copyModel } from '../helpers/models.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const MODEL = 'sparse-queries';
const readJson = (path: string): unknown => JSON.parse(readFileSync(join(FIXTURES, path), 'utf8'));

/** Results of sentence-transformers; fixtures/scripts/make_sparse_queries.py created them. */
const golden = readJson('golden/sparse-queries.json') as {
  readonly ids: readonly string[];
  readonly queries: readonly SparseRow[];
  readonly queries_at_most_2: readonly SparseRow[];
  readonly documents: readonly SparseRow[];
  readonly similarity: readonly number[];
};
const all = readJson('golden/texts.json') as { id: string; text: string }[];
const texts = golden.ids.map((id) => all.find((one) => one.id === id)?.text ?? '');

verifiesServed('sparse:queries', async (arm) => {
  const served = await serve(arm, MODEL);
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'SparseEmbedding');
    const predict = async (fields: object): Promise<SparseRow[]> =>
      (await client.predict({ inputs: texts, ...fields })).results as unknown as SparseRow[];
    const [query, document] = transport.name === 'grpc' ? ['QUERY', 'DOCUMENT'] : ['query', 'document'];
    const found = [
      [{ input_type: query }, golden.queries],
      [{ input_type: query, max_active_dims: 2 }, golden.queries_at_most_2],
      [{ input_type: document }, golden.documents],
      [{}, golden.documents],
    ] as const;
    for (const [fields, expected] of found)
      expectClose(
        dense(await predict(fields)),
        dense(expected),
        `${transport.name} ${JSON.stringify(fields)}`,
      );
    await client.close();
  }
  const { url } = served;
  const rows = async (fields: object): Promise<SparseRow[]> => {
    const { text } = await post(`${url}/embed_sparse`, { inputs: texts, ...fields });
    return (JSON.parse(text) as { index: number; value: number }[][]).map((row) => ({
      indices: row.map(({ index }) => index),
      values: row.map(({ value }) => value),
    }));
  };
  for (const fields of [{ input_type: 'query' }, { prompt_name: 'query' }])
    expectClose(dense(await rows(fields)), dense(golden.queries), '/embed_sparse');
  for (const fields of [{ prompt_name: 'document' }, {}])
    expectClose(dense(await rows(fields)), dense(golden.documents), '/embed_sparse');
  const [source_sentence = ''] = texts;
  const { text } = await post(`${url}/similarity`, { inputs: { source_sentence, sentences: texts } });
  expectClose(JSON.parse(text) as number[], golden.similarity, '/similarity', 1e-4);
  const tokens = await post(`${url}/predict`, { inputs: ['I love this'], input_type: 'query', tokens: true });
  expect(JSON.parse(tokens.text)).toHaveProperty('results.0.tokens');
  const refused = await post(`${url}/predict`, { inputs: ['a'], input_type: 'passage' });
  expect(refused).toMatchObject({ status: 422 });
  expect(refused.text).toContain('input_type must be one of query, document');
});

/** Arguments of a process cannot contain null bytes. */
const isArgument = (text: string): boolean => !text.includes('\0');

verifies('sparse:queries-infer', async (arm) => {
  const rowsOf = async (...flags: string[]): Promise<SparseRow[]> => {
    const { stdout, exitCode } = await arm.run(MODEL, ['infer', ...flags, '--', ...texts.filter(isArgument)]);
    expect(exitCode).toBe(0);
    return (JSON.parse(stdout) as { embeddings: SparseRow[] }).embeddings;
  };
  const expected = (rows: readonly SparseRow[]): number[] =>
    dense(rows.filter((_, at) => isArgument(texts[at] ?? '')));
  expectClose(dense(await rowsOf('--input-type', 'query')), expected(golden.queries), 'queries');
  expectClose(dense(await rowsOf()), expected(golden.documents), 'documents');
  const refused = await arm.run('splade', ['infer', '--input-type', 'query', 'a']);
  expect(refused).toMatchObject({ exitCode: 1, stdout: '' });
  expect(refused.stderr).toContain(
    '--input-type requires a model that encodes queries and documents differently',
  );
});

verifiesOnce('sparse:queries-build', async () => {
  const manifestOf = async (name: string): Promise<unknown> => {
    const args = [
      'build',
      join(folder(), name),
      '--no-build',
      '--force',
      '--json',
      '--cache-dir',
      TEST_CACHE,
    ];
    const built = await runCliHere([...args, '-o', join(folder(), 'out')], { cwd: folder() });
    expect(built, built.stderr).toMatchObject({ exitCode: 0 });
    return JSON.parse(built.stdout).manifest;
  };
  const table = (): Float32Array =>
    new Float32Array(Uint8Array.from(readFileSync(join(folder(), 'out.assets', 'layers.bin'))).buffer);
  copyModel(MODEL, join(folder(), 'routed'));
  expect(await manifestOf('routed')).toMatchObject({
    modelType: 'sparse_embedding',
    sparse: { pooling: 'max', activation: 'log1p_relu', similarity: 'dot', queries: 'table' },
  });
  const weights = table();
  // As OpenSearch publishes its models: without modules, and with a list of tokens.
  const raw = 'opensearch-neural-sparse-encoding-doc-v3-distill';
  const document = join(FIXTURES, 'models', MODEL, 'document_0_Transformer');
  const vocabulary = JSON.parse(readFileSync(join(document, 'tokenizer.json'), 'utf8')).model.vocab as Record<
    string,
    number
  >;
  const entries = Object.entries(vocabulary).map(([token, id]) => [token, weights[id] ?? 0] as const);
  cpSync(document, join(folder(), raw), { recursive: true });
  rmSync(join(folder(), raw, 'sentence_bert_config.json'));
  const files = {
    'idf.json': JSON.stringify(Object.fromEntries(entries)),
    'query_token_weights.txt': entries.map(([token, weight]) => `${token}\t${weight}\n`).join(''),
  };
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(folder(), raw, name), text);
    expect(await manifestOf(raw)).toMatchObject({ sparse: { activation: 'log1p_relu', queries: 'table' } });
    expect(table()).toEqual(weights);
    rmSync(join(folder(), raw, name));
  }
});

verifiesOnce('sparse:queries-refused', async () => {
  const cases: [name: string, change: (text: string) => string, message: RegExp][] = [
    [
      'router_config.json',
      (text) => text.replace('"query": [', '"question": ['),
      /router_config\.json has no route for a query, but only models with the routes query and document/,
    ],
    [
      'router_config.json',
      (text) => text.replace('static_embedding.SparseStaticEmbedding', 'static_embedding.Other'),
      /The route for queries has the modules Other, but .* must be a single SparseStaticEmbedding\./,
    ],
    [
      'router_config.json',
      (text) => text.replaceAll('document_1_SpladePooling', '../pooling'),
      /does not state the type of the module "\.\.\/pooling"\./,
    ],
    [
      'query_0_SparseStaticEmbedding/tokenizer.json',
      (text) => text.replace('"lowercase": true', '"lowercase": false'),
      /has another `normalizer` than the tokenizer of documents, but queries and documents must have the same/,
    ],
    [
      'query_0_SparseStaticEmbedding/config.json',
      () => '{"path": "../../idf.json"}',
      /query_0_SparseStaticEmbedding has no idf\.json with the weights of queries\./,
    ],
  ];
  for (const [name, change, message] of cases) {
    const model = copyModel(MODEL, join(folder(), 'model'));
    const path = join(model, name);
    const text = readFileSync(path, 'utf8');
    expect(change(text)).not.toBe(text);
    writeFileSync(path, change(text));
    const args = ['build', model, '--model-type', 'sparse_embedding', '-o', 'x', '--cache-dir', TEST_CACHE];
    const { exitCode, stderr } = await runCliHere(args, { cwd: folder() });
    expect(exitCode).toBe(1);
    expect(stderr).toMatch(message);
    expect(stderr).not.toContain('\n    at ');
    rmSync(model, { recursive: true });
  }
});
