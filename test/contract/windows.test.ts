import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { runCliHere as runCli } from '../helpers/cli-here.ts';
import { copyModel } from '../helpers/model-folder.ts';
import { FIXTURES, TEST_CACHE } from '../helpers/paths.ts';
import { portIn, startExecutable } from '../helpers/start-executable.ts';
import { useTempFolder } from '../helpers/temp-folder.ts';
import { runExecutable } from './arms.ts';
import { post } from './http-client.ts';
import { verifiesOnce } from './verifies.ts';

const folder = useTempFolder();
const golden = JSON.parse(readFileSync(join(FIXTURES, 'golden/windows.json'), 'utf8')) as {
  readonly maxLength: number;
  readonly texts: readonly string[];
  readonly cases: readonly {
    readonly model: string;
    readonly stride: number;
    readonly results: readonly (readonly { readonly values: readonly number[] }[])[];
  }[];
};
const TEXT = golden.texts[1] ?? '';
const STRIDE = 5;

interface Tokens {
  readonly tokens: readonly { readonly logits: readonly number[] }[];
}

const expected =
  golden.cases.find(({ model, stride }) => model === 'ner' && stride === STRIDE)?.results[1] ?? [];

function expectGolden(result: Tokens | undefined): void {
  expect(result?.tokens).toHaveLength(expected.length);
  for (const [at, { logits }] of (result?.tokens ?? []).entries()) {
    for (const [label, value] of logits.entries())
      expect(value).toBeCloseTo(expected[at]?.values[label] ?? NaN, 4);
  }
}

const WINDOWS = { model_type: 'token_classification', max_length: golden.maxLength, long_texts: 'windows' };
const build = (config: string, ...flags: string[]) =>
  runCli([
    'build',
    '-f',
    config,
    '--cache-dir',
    TEST_CACHE,
    '-o',
    join(folder(), 'windows.encoder'),
    ...flags,
  ]);

verifiesOnce('predict:windows', async () => {
  const built = await build(copyModel(folder(), 'ner', { ...WINDOWS, stride: STRIDE }), '--quiet');
  expect(built.exitCode, built.stderr).toBe(0);
  const path = join(folder(), 'windows.encoder');

  const inferred = await runExecutable(path, ['infer', TEXT]);
  expect(inferred.stderr).toBe('');
  expect(JSON.parse(inferred.stdout).predictions[0].tokens).toHaveLength(expected.length);
  expect((await runExecutable(path, ['infer', '--max-windows=2', TEXT])).stderr).toBe(
    'Warning: 1 of 1 texts was truncated to the maximum number of windows (--max-windows).\n',
  );
  expect((await runExecutable(path, ['inspect'])).stdout).toMatch(
    /Long texts\s+windows with a stride of 5 tokens/,
  );

  const running = startExecutable(path, ['serve', '--http-port=0', '--grpc-port=0', '--max-windows=8']);
  try {
    const text = await running.said(/"msg":"serving"/);
    const url = `http://127.0.0.1:${portIn(text, 'HTTP')}`;
    const http = await post(`${url}/predict`, { inputs: [TEXT] });
    expect(http.headers).toMatchObject({ 'x-truncated-inputs': '0' });
    expectGolden(JSON.parse(http.text).results[0]);

    const grpc = await post(`http://127.0.0.1:${portIn(text, 'gRPC')}/encoder.TokenClassification/Predict`, {
      inputs: [TEXT],
    });
    expect(grpc.headers).toMatchObject({ 'x-truncated-inputs': '0' });
    expectGolden(JSON.parse(grpc.text).results[0]);

    const client = new Client({ name: 'contract', version: '1' });
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)));
    const call = await client.callTool({ name: 'run_encoder', arguments: { inputs: [TEXT] } });
    await client.close();
    expect(call._meta).toBeUndefined();
    expectGolden((call.structuredContent as { results: Tokens[] }).results[0]);

    const cut = await post(`${url}/predict`, { inputs: ['a', `${TEXT} ${TEXT} ${TEXT}`] });
    expect(cut.headers).toMatchObject({ 'x-truncated-inputs': '1', 'x-truncated-indexes': '1' });
    // 14 tokens in the first window, and 9 more in each of the others.
    expect(JSON.parse(cut.text).results[1].tokens).toHaveLength(14 + 7 * 9);
    const huge = await post(`${url}/predict`, { inputs: ['word '.repeat(200_000)] });
    expect([huge.status, huge.text]).toEqual([
      422,
      expect.stringContaining('1000000 characters, the maximum is 200000 (--max-input-chars). Split it.'),
    ]);
  } finally {
    running.child.kill('SIGTERM');
    await running.ended;
  }
});

test.each([
  [
    { stride: 14 },
    /`stride` is 14, but a window has only 14 tokens of the text \(the maximum length is 16\)/,
  ],
  [{ tokenizer: { stride: 20 } }, /`stride` is 20, but a window has only 14 tokens/],
])('%j is one clear sentence', async (fields, message) => {
  const { exitCode, stderr } = await build(
    copyModel(folder(), 'ner', { ...WINDOWS, ...fields }),
    '--no-build',
  );
  expect([exitCode, stderr]).toEqual([1, expect.stringMatching(message)]);
});
