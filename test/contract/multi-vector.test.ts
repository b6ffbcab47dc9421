import { cpSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openServingEngine } from '../../runtime/targets/encoder/engine/serving-engine.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { DEFAULT_LIMITS } from '../helpers/default-limits.ts';
import { copyMultiVector, readGoldenMultiVector } from '../helpers/golden-multi-vector.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { type TokenVector, TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const { queries, documents, models } = readGoldenMultiVector();
const golden = (name: string) => {
  const found = models.find((model) => model.name === name);
  if (!found) throw new Error(`no golden model ${name}`);
  return found;
};
const saved = golden('saved');

verifiesServed('multi-vector:wires', async (arm) => {
  const served = await serve(arm, 'multi-vector');
  for (const transport of TRANSPORTS) {
    const { predict, close } = await transport.connect(served, 'MultiVector');
    const type = (name: string): string => (transport.name === 'grpc' ? name.toUpperCase() : name);
    for (const [role, inputs, expected] of [
      ['query', queries, saved.queries],
      ['document', documents, saved.documents],
    ] as const) {
      const { results } = await predict({ inputs, input_type: type(role), metadata: { a: 'b' } });
      expect(results).toHaveLength(inputs.length);
      for (const [at, { vectors = [] }] of results.entries()) {
        const rows = vectors.map(valuesOf);
        expect(rows).toHaveLength(expected[at]?.length ?? 0);
        expectClose(rows.flat(), expected[at]?.flat(), `${transport.name} ${role} ${inputs[at]}`);
      }
    }
    await expect(predict({ inputs: ['a'] })).rejects.toMatchObject({
      code: transport.inputError,
      message: expect.stringContaining('input_type') as unknown,
    });
    await close();
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
    text: 'Input 0 is too long: it has more than 16 tokens, the maximum of this model for a query. Shorten it, or allow truncation in the request.',
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
    text: 'inputs/0 is a pair, but this model reads single texts. Send two texts.',
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
    'Error: --input-type requires a multi_vector model; this model is of type embedding. Remove the flag.\n',
  );
});

const run = (...args: string[]): Promise<Answer> =>
  runCli(args, { cwd: folder(), env: { XDG_CACHE_HOME: TEST_CACHE } });
const validate = (fields: Record<string, unknown> = {}): Promise<Answer> =>
  run('validate', '-f', writeConfig(folder(), { model_type: 'multi_vector', ...fields }), '--json');

verifiesOnce('multi-vector:guess', async () => {
  for (const name of ['saved', 'stanford']) {
    rmSync(join(folder(), 'model'), { recursive: true, force: true });
    copyMultiVector(folder(), golden(name));
    rmSync(join(folder(), 'model', 'encoderfile.yml'), { force: true });
    const { exitCode, stdout } = await run('validate', 'model');
    expect(exitCode).toBe(0);
    expect(stdout).toMatch(/Type +multi_vector, 8 dimensions/);
    expect(stdout).toMatch(/Vectors +one per token, L2-normalized/);
    expect(stdout).toMatch(
      name === 'saved'
        ? /Queries +up to 16 tokens, marked with "\[Q\] ", filled with \[MASK\]/
        : /Queries +up to 12 tokens, marked with "\[unused0\]", filled with \[MASK\]/,
    );
    expect(stdout).toMatch(/Documents .*32 of the vocabulary without a vector/);
    const { stdout: init } = await run('init', 'model', '-o', `${name}.yml`, '--json');
    expect(JSON.parse(init)).toMatchObject({ modelType: 'multi_vector' });
  }
});

verifiesOnce('multi-vector:settings', async () => {
  copyMultiVector(folder(), saved);
  const { stdout } = await validate({
    query_prefix: '',
    document_prefix: '[CLS]',
    query_length: 9,
    document_length: 30,
    attend_to_expansion_tokens: true,
    skiplist_words: ['.', 'the'],
    normalize: false,
  });
  const { multiVector } = JSON.parse(stdout).manifest;
  expect(multiVector).toEqual({
    query: { maxLength: 9, expansion: { id: 4, token: '[MASK]', isAttended: true } },
    document: {
      marker: { id: 2, token: '[CLS]' },
      maxLength: 30,
      skipped: [expect.any(Number), expect.any(Number)],
    },
    normalize: false,
  });
  const refusals: [fields: Record<string, unknown>, message: RegExp][] = [
    [{ query_prefix: 'query: ' }, /`query_prefix` is \\"query: \\", but the tokenizer has no such token\./],
    [{ document_length: 65 }, /`document_length` is 65, but the model reads at most 64 tokens\./],
    [{ long_texts: 'windows' }, /windows is not supported for model_type multi_vector, because/],
    [
      { pooling: 'mean' },
      /pooling: requires model_type sentence_embedding, but `model_type` is multi_vector/,
    ],
    [
      { model_type: 'embedding', query_length: 8 },
      /query_length: requires model_type multi_vector, but `model_type` is embedding/,
    ],
  ];
  for (const [fields, message] of refusals) expectRefusal(await validate(fields), message);
  rmSync(join(folder(), 'model', '1_Dense', 'model.safetensors'));
  expectRefusal(
    await validate(),
    /1_Dense has no model\.safetensors, and weights in a pytorch_model\.bin are not read/,
  );
  rmSync(join(folder(), 'model', 'modules.json'));
  expectRefusal(
    await validate(),
    /the model has no projection: neither a Dense module in modules\.json nor linear\.weight/,
  );
  rmSync(join(folder(), 'model'), { recursive: true });
  copyMultiVector(folder(), { ...golden('modernbert'), settings: { query_length: 20 } });
  expectRefusal(
    await validate(),
    /layers with local attention read 16 tokens to each side, but queries have up to 20/,
  );
  rmSync(join(folder(), 'model'), { recursive: true });
  copyMultiVector(folder(), { ...golden('stanford'), settings: { similarity: 'l2' } });
  expectRefusal(
    await validate(),
    /artifact\.metadata: `similarity` is \\"l2\\", but only cosine is supported/,
  );
});

verifiesOnce('multi-vector:exported', async () => {
  copyMultiVector(folder(), saved);
  const model = join(folder(), 'model');
  const config = writeConfig(folder(), { model_type: 'multi_vector' });
  const built = join(folder(), 'model.assets');
  const vectorsOfBuild = async (): Promise<number[][][]> => {
    rmSync(built, { recursive: true, force: true });
    const args = ['build', '--no-build', '-q', '-f', config, '--cache-dir', TEST_CACHE];
    expect(await runCli(args, { cwd: folder() })).toMatchObject({ exitCode: 0, stderr: '' });
    const engine = await openServingEngine(built, { limits: DEFAULT_LIMITS, workers: 1, threads: 1 });
    const view = { kind: 'result', format: 'json', options: { normalize: true, role: 'document' } } as const;
    const { results } = await engine.run({
      inputs: documents.map((text) => ({ text })),
      view,
      role: 'document',
    });
    await engine.close();
    return results.map(
      (bytes) => (JSON.parse(Buffer.from(bytes).toString()) as { vectors: number[][] }).vectors,
    );
  };
  const changes = (): string[] =>
    (JSON.parse(readFileSync(join(built, 'manifest.json'), 'utf8')) as { graphChanges?: string[] })
      .graphChanges ?? [];
  const check = (vectors: number[][][]): void => {
    for (const [at, rows] of vectors.entries())
      expectClose(rows.flat(), saved.documents[at]?.flat(), documents[at] ?? '');
  };
  check(await vectorsOfBuild());
  expect(changes()).toContain('Vectors are projected to 8 dimensions');
  // The graph with the projection, and the settings as PyLate exports them.
  cpSync(join(built, 'graph.onnx'), join(model, 'model.onnx'));
  cpSync(join(built, 'weights.bin'), join(model, 'weights.bin'));
  rmSync(join(model, 'model.safetensors'));
  renameSync(join(model, 'config_sentence_transformers.json'), join(model, 'onnx_config.json'));
  check(await vectorsOfBuild());
  expect(changes()).not.toContain('Vectors are projected to 8 dimensions');
});

function expectRefusal({ exitCode, stdout }: Answer, message: RegExp): void {
  expect(exitCode).toBe(1);
  expect(stdout).toMatch(message);
}
