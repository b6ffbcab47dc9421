import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { runCliHere } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { dense, readGoldenSplade, type SparseRow } from '../helpers/golden-masked.ts';
import { copyModel } from '../helpers/models.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { grpcClient, TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const golden = readGoldenSplade();
const { texts } = golden;

type Row = SparseRow & { readonly tokens?: readonly string[] };
const predict = async (url: string, body: object): Promise<{ results: Row[] }> => {
  const { status, text } = await post(`${url}/predict`, body);
  expect(status, text).toBe(200);
  return JSON.parse(text) as { results: Row[] };
};
const ascending = (row: SparseRow): number[] => row.indices.toSorted((left, right) => left - right);

verifiesServed('sparse:golden', async (arm) => {
  const served = await serve(arm, 'splade');
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'SparseEmbedding');
    const { results, model_id } = await client.predict({ inputs: texts });
    const rows = results as unknown as Row[];
    expect(model_id).toBe('splade');
    expectClose(dense(rows), dense(golden.vectors), transport.name);
    for (const row of rows) expect(row.indices).toEqual(ascending(row));
    // The first text alone, without other texts and padding.
    const alone = (await client.predict({ inputs: texts.slice(0, 1) })).results as unknown as Row[];
    expectClose(dense(alone), dense(golden.vectors.slice(0, 1)), transport.name);
    await client.close();
  }
});

verifiesServed('sparse:options', async (arm) => {
  const served = await serve(arm, 'splade');
  const { results } = await predict(served.url, { inputs: texts, max_active_dims: 5, tokens: true });
  expectClose(dense(results), dense(golden.at_most_5), 'max_active_dims');
  const words = results.map(({ indices, values, tokens = [] }) =>
    indices
      .map((_, at) => ({ token: tokens[at], value: values[at] ?? 0 }))
      .sort((left, right) => right.value - left.value)
      .slice(0, 3)
      .map(({ token }) => token),
  );
  expect(words).toEqual(golden.decoded.map((row) => row.map(([token]) => token)));
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'SparseEmbedding');
    const row = (await client.predict({ inputs: ['I love this'], max_active_dims: 2 })).results[0];
    expect(row).toHaveProperty('indices.length', 2);
    await expect(client.predict({ inputs: ['a'], max_active_dims: 0 })).rejects.toMatchObject({
      code: transport.inputError,
      message: 'max_active_dims must be at least 1, not 0',
    });
    await client.close();
  }
  expect(await post(`${served.url}/predict`, { inputs: ['a'], normalize: true })).toMatchObject({
    status: 422,
    text: 'unknown key "normalize" (known keys: inputs, max_active_dims, tokens, truncate, truncation_direction, metadata)',
  });
});

verifiesServed('sparse:tei', async (arm) => {
  const { url } = await serve(arm, 'splade');
  const ask = async (path: string, body: object): Promise<unknown> => {
    const { status, text } = await post(url + path, body);
    expect(status, text).toBe(200);
    return JSON.parse(text);
  };
  const inputs = texts.slice(0, 4);
  const { results } = await predict(url, { inputs });
  const expected = results.map(({ indices, values }) =>
    indices.map((index, at) => ({ index, value: values[at] })),
  );
  expect(await ask('/embed_sparse', { inputs })).toEqual(expected);
  expect(await ask('/', { inputs: inputs[0] })).toEqual(expected.slice(0, 1));
  const ids = JSON.parse((await post(`${url}/tokenize`, { inputs: inputs[0] })).text) as [{ id: number }[]];
  expect(await ask('/embed_sparse', { inputs: [ids[0].map(({ id }) => id)] })).toEqual(expected.slice(0, 1));

  const [source_sentence = '', ...sentences] = texts;
  const similar = await ask('/similarity', { inputs: { source_sentence, sentences } });
  expectClose(similar as number[], golden.similarity.slice(1), 'similarity', 1e-4);
  for (const path of ['/embed', '/embed_all']) {
    expect(await post(url + path, { inputs: 'a' })).toMatchObject({
      status: 404,
      text: `{"error":"${path} requires a model with dense vectors, but splade is a sparse_embedding model. Use /embed_sparse.","error_type":"Validation"}`,
    });
  }
  expect((await post(`${url}/embed_sparse`, { inputs: 'a', prompt_name: 'passage' })).text).toContain(
    'prompt_name must be one of query, document',
  );
  expect((await post(`${url}/v1/embeddings`, { input: 'a' })).status).toBe(404);
});

verifiesServed('sparse:facts', async (arm) => {
  const { url, grpcPort } = await serve(arm, 'splade');
  const json = async (path: string) => (await (await fetch(url + path)).json()) as Record<string, unknown>;
  expect(await json('/model')).toEqual({
    model_id: 'splade',
    model_type: 'sparse_embedding',
    version: '1.0.0',
    pooling: 'max',
    dimensions: 2600,
    similarity_fn_name: 'dot',
  });
  expect(await json('/info')).toMatchObject({ model_type: { embedding: { pooling: 'splade' } } });
  expect(Object.keys((await json('/openapi.json'))['paths'] as object)).toEqual(
    expect.arrayContaining(['/predict', '/embed_sparse', '/similarity']),
  );
  const client = grpcClient('SparseEmbedding', `127.0.0.1:${grpcPort}`);
  const metadata = await new Promise((resolve, reject) => {
    const done = (error: unknown, answer: unknown): void => (error ? reject(error) : resolve(answer));
    (client['GetModelMetadata'] as (...args: unknown[]) => unknown).call(client, {}, done);
  });
  client.close();
  // The loader shows an enum by its number: 5 is SPARSE_EMBEDDING.
  expect(metadata).toMatchObject({ model_id: 'splade', model_type: 5, id2label: {} });
});

verifies('sparse:infer', async (arm) => {
  const printable = texts.filter((text) => !text.includes('\0'));
  const { stdout } = await arm.run('splade', ['infer', '--', ...printable]);
  const { embeddings } = JSON.parse(stdout) as { embeddings: Row[] };
  const expected = golden.vectors.filter((_, at) => printable.includes(texts[at] ?? ''));
  expectClose(dense(embeddings), dense(expected), 'infer');
  const flags = ['--tokens', '--max-active-dims=2'];
  const words = JSON.parse((await arm.run('splade', ['infer', 'I love this', ...flags])).stdout);
  expect(words.embeddings[0].tokens).toHaveLength(2);
  const input = join(folder(), 'texts.txt');
  writeFileSync(input, 'I love this\n');
  const line = (await arm.run('splade', ['infer', '--input', input, ...flags])).stdout;
  expect(JSON.parse(line)).toEqual({ index: 0, embedding: words.embeddings[0] });
  expect((await arm.run('splade', ['infer', 'x', '--normalize=true'])).stderr).toContain(
    '--normalize requires an embedding model, but this is a sparse_embedding model.',
  );
  expect((await arm.run('embedder', ['infer', 'x', '--tokens'])).stderr).toContain(
    '--tokens requires a sparse_embedding model, but this is an embedding model.',
  );
  expect((await arm.run('splade', ['inspect'])).stdout).toMatch(
    /^Vector +maximum over all tokens of log\(1 \+ x\) of the logits$/m,
  );
});

const build = (...args: string[]) =>
  runCliHere(['build', ...args, '-o', join(folder(), 'x.encoder'), '--cache-dir', TEST_CACHE], {
    cwd: folder(),
  });

verifiesOnce('sparse:build', async () => {
  const saved = copyModel('splade', join(folder(), 'saved'));
  expect((await build(saved)).stdout).toMatch(/^Type +sparse_embedding, 2600 dimensions$/m);
  // The same weights as a graph that returns logits, without sentence-transformers files.
  const exported = copyModel('fill-mask', join(folder(), 'exported'));
  const config = join(folder(), 'x.yml');
  const fields = { name: 'exported', path: exported, model_type: 'sparse_embedding' };
  writeFileSync(config, JSON.stringify({ encoderfile: fields }));
  expect(await build('-f', config, '--force')).toMatchObject({ exitCode: 0 });
  const { stdout } = await runExecutable(join(folder(), 'x.encoder'), ['infer', ...texts.slice(0, 4)]);
  const { embeddings } = JSON.parse(stdout) as { embeddings: Row[] };
  expectClose(dense(embeddings), dense(golden.vectors.slice(0, 4)), 'the exported graph');
});

verifiesOnce('sparse:build-refused', async () => {
  const model = copyModel('splade', join(folder(), 'model'));
  const config = join(folder(), 'x.yml');
  const refused = async (fields: object, message: RegExp): Promise<void> => {
    const all = { name: 'x', path: model, model_type: 'sparse_embedding', ...fields };
    writeFileSync(config, JSON.stringify({ encoderfile: all }));
    const { exitCode, stderr } = await build('-f', config);
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(message) });
  };
  const transform = 'function Postprocess(x) return x end';
  await refused({ transform }, /transform: is not supported for model_type sparse_embedding; remove it/);
  await refused(
    { long_texts: 'windows' },
    /windows is not supported for model_type sparse_embedding, because/,
  );
  await refused({ pooling: 'max' }, /pooling: requires model_type sentence_embedding/);
  await refused(
    { path: copyModel('embedder', join(folder(), 'other')) },
    /Model must return logits of tokens .* for model_type sparse_embedding; .* returns `last_hidden_state`\. Choose/,
  );
  const change = (file: string, replace: (text: string) => string): void => {
    const path = join(model, file);
    writeFileSync(path, replace(readFileSync(path, 'utf8')));
  };
  change('1_SpladePooling/config.json', (text) => text.replace('"max"', '"mean"'));
  await refused(
    {},
    /1_SpladePooling\/config\.json: `pooling_strategy` is "mean", but it must be one of max, sum\./,
  );
  change('modules.json', (text) => text.replaceAll('MLMTransformer', 'Router'));
  await refused({}, /modules\.json has the module Router, but router_config\.json is missing\./);
  rmSync(join(model, 'modules.json'));
  change('config.json', (text) => text.replace('"bert"', '"qwen3"'));
  await refused(
    {},
    /The masked-LM head of a model of type "qwen3" cannot be built without an export. Supported types: albert/,
  );
});
