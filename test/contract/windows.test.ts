import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, test } from 'vitest';
import { argmax } from '#core/numbers/argmax.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import {
  type GoldenResult,
  type GoldenToken,
  numbersOfGolden,
  numbersOfResult,
  readGoldenWindows,
  type WindowedResult,
} from '../helpers/golden-windows.ts';
import { copyModel } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import type { Answer } from '../helpers/run-process.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import type { Served } from './serving.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const golden = readGoldenWindows();
const [, LONG] = golden.texts;
const STRIDE = 5;

const MODELS = [
  { model: 'ner', type: 'token_classification', service: 'TokenClassification' },
  { model: 'embedder', type: 'embedding', service: 'Embedding' },
  { model: 'sentence', type: 'sentence_embedding', service: 'SentenceEmbedding' },
] as const;
type ModelName = (typeof MODELS)[number]['model'];

const executable = (model: ModelName): string => join(folder(), `${model}.encoder`);

function build(model: ModelName, fields: Record<string, unknown> = {}): Promise<Answer> {
  const config = copyModel(join(folder(), model), model, {
    model_type: MODELS.find((one) => one.model === model)?.type,
    max_length: golden.maxLength,
    long_texts: 'windows',
    stride: STRIDE,
    ...fields,
  });
  const output = ['--cache-dir', TEST_CACHE, '-o', executable(model), '--quiet'];
  return runCli(['build', '-f', config, ...output]);
}

/** Runs a test with a server for a built model. */
async function serving(
  model: ModelName,
  flags: readonly string[],
  use: (served: Served) => Promise<void>,
): Promise<void> {
  const running = startExecutable(executable(model), ['serve', '--http-port=0', '--grpc-port=0', ...flags]);
  const stop = async (): Promise<void> => {
    running.child.kill('SIGTERM');
    await running.ended;
  };
  try {
    const text = await running.said(/"msg":"serving"/);
    const [httpPort, grpcPort] = [portIn(text, 'HTTP'), portIn(text, 'gRPC')];
    await use({ httpPort, grpcPort, stop, log: running.stderr });
  } finally {
    await stop();
  }
}

function expectGolden(
  results: readonly WindowedResult[],
  wanted: readonly GoldenResult[],
  what: string,
): void {
  expect(results, what).toHaveLength(golden.texts.length);
  for (const [at, result] of results.entries()) {
    expectClose(numbersOfResult(result), numbersOfGolden(wanted[at] ?? []), what);
  }
}

const goldenOf = (
  cases: readonly {
    readonly model: string;
    readonly stride: number;
    readonly results: readonly GoldenResult[];
  }[],
  name: ModelName,
): readonly GoldenResult[] =>
  cases.find(({ model, stride }) => model === name && stride === STRIDE)?.results ?? [];

function normalized(vector: readonly number[]): number[] {
  const norm = Math.hypot(...vector);
  return vector.map((value) => value / norm);
}

/** Compares the output of infer: the label of each token, or a vector per text. */
function expectInferred(stdout: string, wanted: readonly GoldenResult[], what: string): void {
  const { predictions, embeddings = [] } = JSON.parse(stdout) as {
    predictions?: { labels: string[] }[];
    embeddings?: number[][];
  };
  if (!predictions) {
    const results = embeddings.map((embedding) => ({ embedding }));
    expectGolden(results, wanted, what);
    return;
  }
  const labelOf = (token: GoldenToken | number): string | undefined =>
    typeof token === 'number' ? undefined : NER_LABELS[argmax(Float32Array.from(token.values))];
  expect(predictions.map(({ labels }) => labels)).toEqual(wanted.map((tokens) => tokens.map(labelOf)));
}

const NER_LABELS = ['O', 'B-PER', 'I-PER', 'B-ORG', 'I-ORG', 'B-LOC', 'I-LOC', 'B-MISC', 'I-MISC'];

for (const { model, service } of MODELS) {
  verifiesOnce('predict:windows', async () => {
    const built = await build(model);
    expect(built.exitCode, built.stderr).toBe(0);
    const wanted = goldenOf(golden.cases, model);
    const vectors = model === 'embedder' ? goldenOf(golden.vectors, model) : wanted;

    const inferred = await runExecutable(executable(model), ['infer', '--', ...golden.texts]);
    expect([inferred.exitCode, inferred.stderr]).toEqual([0, '']);
    expectInferred(inferred.stdout, vectors, `${model}, infer`);

    await serving(model, [], async (served) => {
      for (const transport of TRANSPORTS) {
        const client = await transport.connect(served, service);
        // Embedding models require the key.
        const options = model === 'embedder' ? { normalize: false } : {};
        const { results } = await client.predict({ inputs: golden.texts, ...options });
        await client.close();
        expectGolden(results, wanted, `${model}, ${transport.name}`);
      }
      if (model === 'ner') return;
      const url = `http://127.0.0.1:${served.httpPort}/v1/embeddings`;
      const { text } = await post(url, { model: 'model', input: golden.texts });
      const { data } = JSON.parse(text) as { data: WindowedResult[] };
      expectGolden(data, vectors.map(numbersOfGolden).map(normalized), `${model}, ${url}`);
    });
  });
}

verifiesOnce('predict:max-windows', async () => {
  const built = await build('ner');
  expect(built.exitCode, built.stderr).toBe(0);
  const path = executable('ner');
  expect((await runExecutable(path, ['inspect'])).stdout).toMatch(
    /Long texts\s+windows with a stride of 5 tokens/,
  );
  expect((await runExecutable(path, ['infer', '--max-windows=2', LONG])).stderr.trim()).toBe(
    'Warning: 1 of 1 texts was truncated to the maximum number of windows (--max-windows).',
  );

  await serving('ner', ['--max-windows=8'], async ({ httpPort, grpcPort }) => {
    const url = `http://127.0.0.1:${httpPort}`;
    const inputs = ['a', `${LONG} ${LONG} ${LONG}`];
    const truncated = { 'x-truncated-inputs': '1', 'x-truncated-indexes': '1' };
    const whole = { 'x-truncated-inputs': '0' };
    for (const route of [
      `${url}/predict`,
      `http://127.0.0.1:${grpcPort}/encoder.TokenClassification/Predict`,
    ]) {
      expect((await post(route, { inputs: [LONG] })).headers).toMatchObject(whole);
      const { headers, text } = await post(route, { inputs });
      expect(headers).toMatchObject(truncated);
      // 14 tokens in the first window, and 9 more in each of the others.
      expect(JSON.parse(text).results[1].tokens).toHaveLength(14 + 7 * 9);
    }

    const client = new Client({ name: 'contract', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const metaOf = async (texts: readonly string[]): Promise<unknown> =>
      (await client.callTool({ name: 'run_encoder', arguments: { inputs: texts } }))['_meta'];
    expect([await metaOf([LONG]), await metaOf(inputs)]).toEqual([undefined, { truncated_inputs: [1] }]);
    await client.close();

    const refused = await post(`${url}/predict`, { inputs, truncate: false });
    expect([refused.status, refused.text]).toEqual([
      422,
      'Input 1 is too long: it has more than 8 windows of 16 tokens (--max-windows). Shorten it, or allow truncation in the request.',
    ]);
  });
});

test('a build with a stride as long as a window fails with a clear one-sentence error', async () => {
  const { exitCode, stderr } = await build('ner', { stride: 14 });
  expect([exitCode, stderr.trim()]).toEqual([
    1,
    'Error: `stride` is 14, but must be at most 13: windows have 16 tokens, and 2 of them are special tokens. Decrease `stride` or increase `max_length`.',
  ]);
});

test('a window requires room for only one token of the text', async () => {
  const built = await build('ner', { stride: undefined, max_length: 3 });
  expect(built.exitCode, built.stderr).toBe(0);
  const { stdout } = await runExecutable(executable('ner'), ['infer', 'Anna Smith met Peter Weber']);
  expect(JSON.parse(stdout).predictions[0].tokens).toEqual(['Anna', 'Smith', 'met', 'Peter', 'Weber']);
});
