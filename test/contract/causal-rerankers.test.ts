import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { expectClose } from '../helpers/close.ts';
import { causalRerankerFolder, readGoldenCausalRerankers } from '../helpers/golden-causal-rerankers.ts';
import { writeConfig } from '../helpers/model-folder.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import type { Answer } from '../helpers/run-process.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { TRANSPORTS } from './clients.ts';
import { post } from './http-client.ts';
import { ANY_PORTS, serveAssets, type Served } from './serving.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const { pairs, instruction, models } = readGoldenCausalRerankers();
const CLOSE = 1e-5;

const started: Served[] = [];
afterAll(async () => {
  await Promise.all(started.map((served) => served.stop()));
});

function copyReranker(name: string, as = name): string {
  const path = join(folder(), as);
  cpSync(causalRerankerFolder(name), path, { recursive: true });
  return path;
}

const run = (...args: string[]): Promise<Answer> =>
  runCli([...args, '--cache-dir', TEST_CACHE], { cwd: folder() });

/** Builds a model without an executable and serves it from this process. */
async function serveReranker(name: string): Promise<Served> {
  copyReranker(name);
  const output = join(folder(), `${name}.encoder`);
  const { exitCode, stderr } = await run('build', name, '--no-build', '-o', output);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const served = await serveAssets(output.replace('.encoder', '.assets'));
  started.push(served);
  return served;
}

interface Predicted {
  readonly results: readonly { readonly logits: readonly number[]; readonly scores: readonly number[] }[];
}

async function logitsOf({ httpPort }: Served, fields: object = {}): Promise<number[]> {
  const inputs = pairs.map(({ query, document }) => [query, document]);
  const { status, text } = await post(`http://127.0.0.1:${httpPort}/predict`, { inputs, ...fields });
  expect(status, text).toBe(200);
  return (JSON.parse(text) as Predicted).results.map(({ logits }) => logits[0] ?? NaN);
}

verifiesOnce('causal-rerankers:golden', async () => {
  for (const { name, logits, instructed, lengths } of models) {
    const served = await serveReranker(name);
    expectClose(await logitsOf(served), logits, name, CLOSE);
    if (instructed)
      expectClose(await logitsOf(served, { instruction }), instructed, `${name}, instructed`, CLOSE);
    for (const [at, { query, document }] of pairs.entries()) {
      const body = { query, documents: [document], raw_scores: true };
      const { text } = await post(`http://127.0.0.1:${served.httpPort}/rerank`, body);
      const { results, meta } = JSON.parse(text) as {
        results: { relevance_score: number }[];
        meta: { tokens: { input_tokens: number } };
      };
      expect(meta.tokens.input_tokens, `${name}: ${at}`).toBe(lengths[at]);
      expectClose([results[0]?.relevance_score ?? NaN], [logits[at] ?? NaN], `${name}: ${at}`, CLOSE);
    }
  }
});

const QWEN3 = 'Qwen3-Reranker';
const [qwen3] = models;
const DEFAULT = 'Given a web search query, retrieve relevant passages that answer the query';
const query = 'What is the capital of China?';
const documents = pairs.filter((pair) => pair.query === query).map(({ document }) => document);
const sigmoid = (logit: number): number => 1 / (1 + Math.exp(-logit));
const expected = (qwen3?.logits ?? []).slice(0, documents.length);

verifiesOnce('causal-rerankers:routes', async () => {
  copyReranker(QWEN3);
  const output = join(folder(), 'model.encoder');
  const { exitCode, stderr } = await run('build', QWEN3, '-o', output);
  expect({ exitCode, stderr }).toMatchObject({ exitCode: 0 });
  const texts = documents.map(
    (document) => `<Instruct>: ${DEFAULT}\n<Query>: ${query}\n<Document>: ${document}`,
  );
  const inferred = await runExecutable(output, ['infer', '--', ...texts]);
  const { predictions } = JSON.parse(inferred.stdout) as { predictions: { score: number }[] };
  expectClose(
    predictions.map(({ score }) => score),
    expected.map(sigmoid),
    'infer',
    CLOSE,
  );
  const inspected = await runExecutable(output, ['inspect']);
  expect(inspected.stdout).toContain(
    String.raw`"<Instruct>: {instruction}\n<Query>: {query}\n<Document>: {document}"`,
  );
  const running = startExecutable(output, ['serve', ...ANY_PORTS]);
  const banner = await running.said(/"msg":"serving"/);
  const served: Served = {
    httpPort: portIn(banner, 'HTTP'),
    grpcPort: portIn(banner, 'gRPC'),
    log: running.stderr,
    async stop() {
      running.child.kill('SIGTERM');
      await running.ended;
    },
  };
  started.push(served);
  expectClose(await logitsOf(served), qwen3?.logits, '/predict', CLOSE);
  for (const path of ['/rerank', '/v1/rerank', '/v2/rerank']) {
    const { text } = await post(`http://127.0.0.1:${served.httpPort}${path}`, { query, documents });
    const { results } = JSON.parse(text) as { results: { index: number; relevance_score: number }[] };
    const scores = results.toSorted((a, b) => a.index - b.index).map((one) => one.relevance_score);
    expectClose(scores, expected.map(sigmoid), path, CLOSE);
  }
  for (const transport of TRANSPORTS) {
    const client = await transport.connect(served, 'SequenceClassification');
    const { results } = await client.predict({ inputs: texts });
    expectClose(
      results.map(({ logits }) => logits?.[0] ?? NaN),
      expected,
      transport.name,
      CLOSE,
    );
    await client.close();
  }
});

verifiesOnce('causal-rerankers:instruction', async () => {
  const served = await serveReranker(QWEN3);
  const ask = async (path: string, body: object): Promise<{ status: number | undefined; text: string }> =>
    await post(`http://127.0.0.1:${served.httpPort}${path}`, body);
  const instructed = (qwen3?.instructed ?? []).slice(0, documents.length);
  for (const path of ['/rerank', '/v1/rerank', '/v2/rerank']) {
    const { text } = await ask(path, { query, documents, instruction });
    const { results } = JSON.parse(text) as { results: { index: number; relevance_score: number }[] };
    const scores = results.toSorted((a, b) => a.index - b.index).map((one) => one.relevance_score);
    expectClose(scores, instructed.map(sigmoid), path, CLOSE);
    for (const [bad, message] of [
      [' ', 'instruction must not be empty'],
      ['a'.repeat(8193), 'instruction must have at most 8192 characters, not 8193'],
    ] as const)
      expect(await ask(path, { query, documents, instruction: bad })).toMatchObject({
        status: 422,
        text: expect.stringContaining(message) as unknown,
      });
  }
  expectClose(await logitsOf(served, { instruction: DEFAULT }), qwen3?.logits, 'the default', CLOSE);
  expectClose(await logitsOf(served, { instruction: null }), qwen3?.logits, 'null', CLOSE);
  expect(await ask('/predict', { inputs: [['a', 'b'], 'c'], instruction })).toMatchObject({
    status: 422,
    text: expect.stringContaining('input 1 is a single text') as unknown,
  });
  const { httpPort } = await serveReranker('bge-reranker-v2-gemma');
  for (const [path, body] of [
    ['/rerank', { query, documents }],
    ['/v2/rerank', { query, documents }],
    ['/predict', { inputs: [['a', 'b']] }],
  ] as const)
    expect(await post(`http://127.0.0.1:${httpPort}${path}`, { ...body, instruction })).toMatchObject({
      status: 422,
      text: expect.stringMatching(
        /instruction requires a reranker whose prompt contains an instruction/,
      ) as unknown,
    });
  const document = (await (await fetch(`http://127.0.0.1:${httpPort}/openapi.json`)).json()) as object;
  expect(JSON.stringify(document)).not.toContain('"instruction"');
});

const validate = (name: string, ...args: string[]): Promise<Answer> => run('validate', name, ...args);
const writeJson = (path: string, value: unknown): void => writeFileSync(path, JSON.stringify(value));

verifiesOnce('causal-rerankers:detection', async () => {
  const path = copyReranker(QWEN3, 'my-model');
  const GENERATES =
    /^Error: config\.json of my-model names Qwen3ForCausalLM, which generates text\. .*, or pass/;
  const refused = async (): Promise<void> => {
    const { exitCode, stderr } = await validate('my-model', '-q');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: expect.stringMatching(GENERATES) as unknown,
    });
  };
  const found = async (reason: string): Promise<void> => {
    const { exitCode, stderr } = await validate('my-model');
    expect({ exitCode, stderr }).toEqual({
      exitCode: 0,
      stderr: expect.stringContaining(`is of type sequence_classification, because ${reason}`) as unknown,
    });
  };
  await refused();
  const card = join(path, 'README.md');
  writeFileSync(card, '---\nbase_model: Qwen/Qwen3-Reranker-0.6B\n---\n');
  await found('its model card names a base model of the Qwen3-Reranker family');
  rmSync(card);
  writeJson(join(path, 'modules.json'), [
    { idx: 0, name: '0', path: '', type: 'sentence_transformers.base.modules.transformer.Transformer' },
    {
      idx: 1,
      name: '1',
      path: '1_LogitScore',
      type: 'sentence_transformers.cross_encoder.modules.logit_score.LogitScore',
    },
  ]);
  await refused();
  writeFileSync(
    join(path, 'chat_template.jinja'),
    '<|im_start|>system\nJudge whether the Document meets the requirements based on the Query and the Instruct provided. Note that the answer can only be "yes" or "no".<|im_end|>\n',
  );
  await found('modules.json has a LogitScore module');
});

verifiesOnce('causal-rerankers:refused', async () => {
  const path = copyReranker(QWEN3, 'model');
  cpSync(path, join(folder(), QWEN3), { recursive: true });
  const refused = async (fields: object, message: RegExp): Promise<void> => {
    const config = writeConfig(folder(), { path: `./${QWEN3}`, ...fields });
    const { exitCode, stderr } = await run('validate', '-f', config, '-q');
    expect({ exitCode, stderr }).toEqual({ exitCode: 1, stderr: expect.stringMatching(message) as unknown });
  };
  await refused(
    { max_length: 40 },
    /`max_length` is 40, but the prompt of this reranker has \d+ tokens\. Set/,
  );
  const tokenizer = join(folder(), QWEN3, 'tokenizer.json');
  writeFileSync(
    tokenizer,
    readFileSync(tokenizer, 'utf8').replace('"no":', '"nn":').replace('["n","o"]', '["n","n"]'),
  );
  await refused({}, /no token "no", which Qwen3-Reranker compares/);
});
