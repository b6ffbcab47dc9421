import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect } from 'vitest';
import { builtExecutable } from '../helpers/built.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { overwrite, sectionsOf } from '../helpers/container-file.ts';
import { readGoldenStatic } from '../helpers/golden-static.ts';
import { copyModel, writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { writeRandomBert } from '../helpers/random-bert.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { grpcClient, type PredictRequest, TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { serveBuilt } from './serve-built.ts';
import { shareServers } from './shared-servers.ts';
import { useServers } from './started-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
const servers = useServers();
/** A command line cannot contain the null character. */
const texts = readGoldenStatic().texts.filter((text) => !text.includes('\0'));

const SMALL = { model_type: 'sentence_embedding', distill_dimensions: 12, min_neighbors: 0 };

/** Builds the model of the config with these forms, and returns the path of the executable. */
async function build(config: string, form: string): Promise<string> {
  const output = join(folder(), `${form}.encoder`);
  const args = ['build', '-f', config, '-o', output, '--distill', form, '--cache-dir', TEST_CACHE, '--force'];
  const { exitCode, stderr, stdout } = await runCli(args, { cwd: folder() });
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  expect(stdout.includes('Static form  12 dimensions, ')).toBe(form === 'both');
  return output;
}

async function vectors(path: string, ...flags: readonly string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await runExecutable(path, ['infer', ...flags, '--', ...texts]);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  return stdout;
}

verifiesOnce('stages:build', async () => {
  copyModel(folder(), 'sentence');
  const config = writeConfig(folder(), SMALL);
  const [both, alone, model] = [
    await build(config, 'both'),
    await build(config, 'static'),
    await build(config, 'none'),
  ] as const;
  expect(await vectors(both, '--stage', 'fast')).toBe(await vectors(alone));
  expect(await vectors(both)).toBe(await vectors(model));
  expect(await vectors(both, '--stage', 'exact')).toBe(await vectors(model));
  const { stdout: table } = await runExecutable(both, ['inspect']);
  expect(table).toMatch(/^Type +sentence_embedding, output last_hidden_state, 32 dimensions, float32$/m);
  expect(table).toMatch(/^Static form +12 dimensions, \d+% of the ten nearest texts of each of 69 texts/m);
  expect((await runExecutable(both, ['verify'])).stdout).toMatch(/^static +\S+ \w+ +ok/m);
});

verifiesOnce('stages:quantized', async () => {
  writeRandomBert(join(folder(), 'model'));
  const [alone, float] = [
    await build(writeConfig(folder(), SMALL), 'static'),
    await build(writeConfig(folder(), SMALL), 'none'),
  ];
  const quantized = await build(
    writeConfig(folder(), { ...SMALL, quantize: 'int8', min_cosine: 0.5 }),
    'both',
  );
  expect((await runExecutable(quantized, ['inspect'])).stdout).toMatch(/^Quantized +int8/m);
  expect(await vectors(quantized, '--stage', 'fast')).toBe(await vectors(alone));
  expect(await vectors(quantized)).not.toBe(await vectors(float));
});

verifiesOnce('stages:damaged', async () => {
  const original = builtExecutable('two-forms');
  const path = join(folder(), 'damaged.encoder');
  copyFileSync(original, path);
  const { offset, length } = sectionsOf(original)('static');
  overwrite(path, offset + length - 9, '!');
  expect(await runExecutable(path, ['verify'])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('corrupted in `static`'),
  });
  // Only the table differs, so that the model still works.
  expect(await runExecutable(path, ['infer', 'I love this'])).toMatchObject({ exitCode: 0 });
});

verifies('stages:infer', async (arm) => {
  const embeddings = async (...flags: readonly string[]): Promise<number[][]> => {
    const { exitCode, stdout, stderr } = await arm.run('two-forms', ['infer', 'I love this', ...flags]);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return (JSON.parse(stdout) as { embeddings: number[][] }).embeddings;
  };
  expect((await embeddings('--stage', 'fast'))[0]).toHaveLength(12);
  expect((await embeddings('--stage', 'fast', '--dimensions', '4'))[0]).toHaveLength(4);
  expect((await embeddings('--stage', 'exact'))[0]).toHaveLength(32);
  expect(await embeddings()).toEqual(await embeddings('--stage', 'exact'));
  const refused = async (model: string, stage: string): Promise<object> => {
    const { exitCode, stdout, stderr } = await arm.run(model, ['infer', 'I love this', '--stage', stage]);
    expect(stderr).toMatch(/^Error: [^\n]+\n/);
    return { exitCode, stdout, stderr };
  };
  expect(await refused('sentence', 'fast')).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('--stage "fast" requires a model that was built with `distill: both`'),
  });
  expect(await refused('sentiment', 'fast')).toMatchObject({ exitCode: 1, stdout: '' });
  expect(await refused('two-forms', 'quick')).toMatchObject({ exitCode: 2 });
});

verifiesServed('stages:wires', async (arm) => {
  const served = await serve(arm, 'two-forms');
  const request: PredictRequest = { inputs: texts };
  const answers = { fast: new Set<string>(), exact: new Set<string>() };
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'SentenceEmbedding');
    const word = (stage: string): string =>
      transport.name === 'grpc' ? `STAGE_${stage.toUpperCase()}` : stage;
    const vectorsFor = async (wanted: object): Promise<string> => {
      const { results } = await client.predict({ ...request, ...wanted });
      return JSON.stringify(
        results.map(({ embedding = [] }) => embedding.map((value) => Math.fround(value))),
      );
    };
    answers.fast.add(await vectorsFor({ stage: word('fast') }));
    answers.exact.add(await vectorsFor({ stage: word('exact') }));
    answers.exact.add(await vectorsFor({}));
    await client.close();
    const other = await transport.connect(await serve(arm, 'sentence'), 'SentenceEmbedding');
    await expect(other.predict({ inputs: ['a'], stage: word('fast') })).rejects.toMatchObject({
      code: transport.inputError,
      message: expect.stringContaining('sentence has no static form'),
    });
    await other.close();
  }
  expect({ fast: answers.fast.size, exact: answers.exact.size }).toEqual({ fast: 1, exact: 1 });
  const { headers } = await post(`${served.url}/predict`, { inputs: ['a'], stage: 'fast' });
  expect(headers['x-compute-stage']).toBe('fast');
  expect(await grpcStage(served.grpcPort, 'STAGE_FAST')).toEqual(['fast']);
  expect(await grpcStage(served.grpcPort, 'STAGE_EXACT')).toEqual(['exact']);
  expect(await mcpStage(served.url, 'fast')).toEqual({ stage: 'fast' });
  expect(await mcpStage(served.url, 'exact')).toEqual({ stage: 'exact' });
});

/** The stage in the response headers of a call. */
async function grpcStage(port: number, stage: string): Promise<unknown> {
  const client = grpcClient('SentenceEmbedding', `127.0.0.1:${port}`);
  const found = Promise.withResolvers<unknown>();
  const call = (client['Predict'] as (...args: unknown[]) => CallEvents).call(
    client,
    { inputs: ['a'], stage },
    (error: unknown) => (error ? found.reject(error) : undefined),
  );
  call.on('metadata', (metadata) => found.resolve(metadata.get('x-compute-stage')));
  return await found.promise.finally(() => client.close());
}

interface CallEvents {
  on(event: 'metadata', listener: (metadata: { get(name: string): unknown }) => void): void;
}

async function mcpStage(url: string, stage: string): Promise<unknown> {
  const client = new Client({ name: 'contract', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
  const { _meta } = await client.callTool({ name: 'run_encoder', arguments: { inputs: ['a'], stage } });
  await client.close();
  return _meta;
}

verifiesServed('stages:ranking', async (arm) => {
  const { url } = await serve(arm, 'two-forms');
  const documents = Array.from({ length: 1200 }, (_, at) => `${texts[at % texts.length] ?? ''} number ${at}`);
  const rank = async (wanted: object): Promise<number[]> => {
    const { status, text, headers } = await post(`${url}/rerank`, { query: 'love', documents, ...wanted });
    expect(status, text).toBe(200);
    const { stage = 'exact' } = wanted as { stage?: string };
    expect(headers['x-compute-stage']).toBe(stage);
    return (JSON.parse(text) as { results: { index: number }[] }).results.map(({ index }) => index);
  };
  const [exact, fast] = [await rank({}), await rank({ stage: 'fast' })];
  expect(new Set(exact)).toEqual(new Set(documents.keys()));
  expect(new Set(fast)).toEqual(new Set(documents.keys()));
  const chosen = new Set(fast.slice(0, 50));
  const expected = exact.filter((index) => chosen.has(index));
  expect(expected).toHaveLength(50);
  expect(await rank({ stage: 'two_stage' })).toEqual(expected);
  expect(await rank({ stage: 'two_stage', candidates: 50, top_n: 10 })).toEqual(expected.slice(0, 10));
  expect(await rank({ stage: 'two_stage', candidates: 5000 })).toEqual(exact);
  const refused = await post(`${url}/rerank`, {
    query: 'love',
    documents,
    stage: 'two_stage',
    candidates: 0,
  });
  expect(refused).toMatchObject({ status: 422, text: 'candidates must be at least 1, not 0' });
  const one = await serve(arm, 'sentence');
  expect((await post(`${one.url}/rerank`, { query: 'love', documents: ['a'] })).status).toBe(404);
});

verifiesServed('stages:variants', async (arm) => {
  interface Ranked {
    readonly results: readonly { readonly index: number; readonly relevance_score: number }[];
  }
  const documents = ['a dog', 'I love the soup', 'the price went up', 'the price of the loan '.repeat(60)];
  const open = async (model: string, fields: object) => {
    const config = copyModel(folder(), model, { ...SMALL, distill: 'both', ...fields });
    const { httpPort, stop } = await serveBuilt(
      arm,
      config,
      join(folder(), `${model}.encoder`),
      servers.serve,
    );
    const ask = async (path: string, body: object, status = 200): Promise<string> => {
      const answer = await post(`http://127.0.0.1:${httpPort}${path}`, body);
      expect({ body, status: answer.status, text: answer.text }).toMatchObject({ status });
      return answer.text;
    };
    const rank = async (wanted: object): Promise<Ranked['results']> =>
      (JSON.parse(await ask('/rerank', { query: 'the price', documents, ...wanted })) as Ranked).results;
    return { ask, rank, stop };
  };
  const m3 = await open('m3', {});
  const weights = { sparse: 1, multi_vector: 2 };
  const fast = await m3.rank({ stage: 'fast' });
  const chosen = new Set(fast.slice(0, 2).map(({ index }) => index));
  const weighted = await m3.rank({ weights });
  expect(await m3.rank({ weights, candidates: 2 })).toEqual(
    weighted.filter(({ index }) => chosen.has(index)),
  );
  expect(await m3.rank({ weights, candidates: 4 })).toEqual(weighted);
  const refused = await m3.ask('/rerank', { query: 'a', documents, weights, stage: 'fast' }, 422);
  expect(refused).toContain('weights requires stage "exact" or "two_stage"');
  expect(await m3.ask('/embed_sparse', { inputs: 'a', stage: 'fast' }, 422)).toContain(
    'requires stage \\"exact\\"',
  );
  expect(await m3.ask('/predict', { inputs: ['a'], outputs: ['sparse'], stage: 'fast' }, 422)).toContain(
    'outputs can only be dense, because a static model has no sparse',
  );
  await m3.stop();
  rmSync(join(folder(), 'model'), { recursive: true });
  const windows = await open('sentence', { long_texts: 'windows', similarity_fn_name: 'euclidean' });
  const exact = await windows.rank({});
  const [query = [], ...vectors] = [
    ...(JSON.parse(
      await windows.ask('/embed', { inputs: ['the price'], prompt_name: 'query' }),
    ) as number[][]),
    ...(JSON.parse(await windows.ask('/embed', { inputs: documents, prompt_name: 'passage' })) as number[][]),
  ];
  for (const { index, relevance_score: score } of exact)
    expect(score).toBeCloseTo(
      -Math.hypot(...query.map((value, at) => value - (vectors[index]?.[at] ?? 0))),
      6,
    );
  expect(await windows.rank({ candidates: 4 })).toEqual(exact);
  await windows.stop();
});
