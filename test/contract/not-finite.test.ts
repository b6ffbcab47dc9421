import { mkdtempSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { runProgram } from '#serve/cli/run.ts';
import { encoderProgram } from '#encoder/program.ts';
import { divideByZeroFor, editGraph } from '../helpers/edited-graph.ts';
import { copyModel } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import type { Answer } from '../helpers/run-process.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { transformedModel } from '../helpers/transformed-model.ts';
import { TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { serveAssets } from './serving.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
/** Tokens of the fixtures' uncased tokenizer: two words, and the token that starts each text. */
const [AWFUL, A, FIRST] = [1181n, 43n, 2n];
const [GOOD, BAD] = ['I love this', 'this is awful'];

const BY_MODEL = (output: string): RegExp =>
  new RegExp(`The model failed: output \`${output}\` contains -?(Infinity|NaN), but`);
const BY_TRANSFORM = /The transform failed: test\.lua: Postprocess returned NaN at \[1, .*must be finite/;

/** A config of a fixture model that returns infinity for texts with this token. */
function infiniteModel(model: string, token: bigint, fields: Record<string, unknown> = {}): string {
  const home = mkdtempSync(join(folder(), 'model-'));
  const config = copyModel(home, model, fields);
  const output = fields['model_type'] === 'embedding' ? 'last_hidden_state' : 'logits';
  editGraph(join(home, 'model', 'model.onnx'), (graph) => divideByZeroFor(graph, token, output));
  return config;
}

const build = (config: string): Promise<Answer> => {
  const output = join(dirname(config), 'model.encoder');
  return runCli(['build', '--no-build', '-q', '-f', config, '-o', output, '--cache-dir', TEST_CACHE]);
};

/** The same model, built. */
async function buildInfinite(
  model: string,
  fields: Record<string, unknown> = {},
  token = AWFUL,
): Promise<string> {
  const config = infiniteModel(model, token, fields);
  expect(await build(config)).toMatchObject({ exitCode: 0, stderr: '' });
  return join(dirname(config), 'model.assets');
}

/** A fixture model whose transform returns NaN for negative texts or for texts of six tokens, and its results for other texts. */
const nanTransform = (model: string): Promise<string> => {
  const source =
    model === 'sentiment'
      ? 'function Postprocess(x) if x[1][2] > 0 then return x end return (x - x) / 0 end'
      : 'function Postprocess(x) if x:shape()[2] ~= 6 then return x end return (x - x) / 0 end';
  return transformedModel(folder(), model, source);
};

async function infer(path: string, args: readonly string[]): Promise<Answer> {
  let [stdout, stderr] = ['', ''];
  const output = {
    out: (text: string) => void (stdout += text),
    err: (text: string) => void (stderr += text),
  };
  const exitCode = await runProgram(encoderProgram(path, 'model.encoder'), ['infer', ...args], output);
  return { exitCode, stdout, stderr };
}

verifiesOnce('build:model-not-finite', async () => {
  const { exitCode, stderr } = await build(infiniteModel('sentiment', FIRST));
  expect(exitCode).toBe(1);
  expect(stderr).toMatch(
    /^Error: Output `logits` of .*model\.onnx contains -?Infinity for a sample text, but results must be finite numbers\. Export/,
  );
});

verifiesOnce('predict:not-finite', async () => {
  const cases = [
    [await buildInfinite('sentiment'), BY_MODEL('logits')],
    [await nanTransform('sentiment'), BY_TRANSFORM],
  ] as const;
  const internal = { http: 500, grpc: 13, mcp: -32_603 };
  for (const [path, message] of cases) {
    const served = await serveAssets(path);
    for (const transport of TRANSPORTS) {
      const client = await transport.connect(served, 'SequenceClassification');
      const good = client.predict({ inputs: [GOOD] });
      for (const inputs of [[BAD], [GOOD, BAD]]) {
        await expect(client.predict({ inputs }), transport.name).rejects.toMatchObject({
          code: internal[transport.name],
          message: expect.stringMatching(message),
        });
      }
      expect((await good).results).toHaveLength(1);
      await client.close();
    }
    await served.stop();
  }
});

verifiesOnce('serve:warm-up-not-finite', async () => {
  const served = await serveAssets(await buildInfinite('sentiment', {}, A));
  const predict = (text: string) => post(`http://127.0.0.1:${served.httpPort}/predict`, { inputs: [text] });
  expect((await predict(GOOD)).status).toBe(200);
  expect((await predict('a film')).status).toBe(500);
  await served.stop();
});

verifiesOnce('http:not-finite', async () => {
  const served = await serveAssets(await nanTransform('embedder'));
  const url = `http://127.0.0.1:${served.httpPort}`;
  const long = 'this is awful good';
  const bodies: [path: string, body: object][] = [
    ['/predict', { inputs: [long], normalize: true }],
    ['/v1/embeddings', { input: [GOOD, long], encoding_format: 'base64' }],
    ['/v1/embeddings', { input: [GOOD, long], output_dtype: 'int8' }],
    ['/v1/embeddings', { input: [GOOD, long], output_dtype: 'ubinary' }],
    ['/v1/embeddings', { input: [long.slice(0, 5), long.slice(5)], late_chunking: true }],
    ['/v2/embed', { texts: [GOOD, long], embedding_types: ['binary', 'float'] }],
  ];
  for (const [path, body] of bodies) {
    const answer = await post(`${url}${path}`, body);
    expect(answer.status, path).toBe(500);
    expect(answer.text).toMatch(BY_TRANSFORM);
  }
  expect((await post(`${url}/v1/embeddings`, { input: GOOD })).status).toBe(200);
  await served.stop();

  const reranker = await serveAssets(await buildInfinite('reranker'));
  const rerank = (...documents: string[]) =>
    post(`http://127.0.0.1:${reranker.httpPort}/rerank`, { query: 'a film', documents });
  expect(await rerank(GOOD, BAD)).toMatchObject({
    status: 500,
    text: expect.stringMatching(BY_MODEL('logits')),
  });
  expect((await rerank(GOOD)).status).toBe(200);
  await reranker.stop();
});

verifiesOnce('infer:not-finite', async () => {
  const embedder = { model_type: 'embedding' };
  const cases = [
    [await nanTransform('sentiment'), BY_TRANSFORM],
    [await buildInfinite('sentiment'), BY_MODEL('logits')],
    [await buildInfinite('embedder', embedder), BY_MODEL('last_hidden_state')],
  ] as const;
  for (const [path, message] of cases) {
    const failed = await infer(path, [GOOD, BAD]);
    expect(failed).toMatchObject({ exitCode: 1, stdout: '', stderr: expect.stringMatching(message) });
    expect(await infer(path, [GOOD])).toMatchObject({ exitCode: 0, stderr: '' });
  }
});

verifiesOnce('infer:file:failed-texts', async () => {
  const input = join(folder(), 'texts.txt');
  writeFileSync(input, `${GOOD}\n${BAD}\n${GOOD}\n`);
  const cases = [
    [await nanTransform('sentiment'), BY_TRANSFORM],
    [await buildInfinite('sentiment'), BY_MODEL('logits')],
  ] as const;
  for (const [path, message] of cases) {
    const { exitCode, stdout, stderr } = await infer(path, ['--input', input]);
    const lines = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as object);
    expect(lines).toEqual([
      { index: 0, label: 'POSITIVE', score: expect.any(Number) },
      { index: 1, error: expect.stringMatching(message) },
      { index: 2, label: 'POSITIVE', score: expect.any(Number) },
    ]);
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'Error: 1 of 3 texts failed; their output lines contain an "error".\n',
    });
  }
});
