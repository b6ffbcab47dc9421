import { copyFileSync } from 'node:fs';
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
import { shareServers } from './shared-servers.ts';
import { verifies, verifiesOnce, verifiesServed } from './verifies.ts';

const folder = useTempFolder();
const serve = shareServers();
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
        results.map(({ embedding = [] }) => embedding.map((value) => Number(Math.fround(value)))),
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
