import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect } from 'vitest';
import { readGolden } from '../helpers/golden.ts';
import { TEST_CACHE } from '../helpers/paths.ts';
import { runExecutable } from './arms.ts';
import { portIn, type RunningExecutable, startExecutable } from '../helpers/start-executable.ts';
import { verifiesOnce } from './verifies.ts';
import { builtExecutable } from '../helpers/built.ts';

const running: RunningExecutable[] = [];
afterEach(async () => {
  for (const { child, ended } of running.splice(0)) {
    child.kill('SIGKILL');
    await ended;
  }
});

const DESCRIPTIONS = {
  embedder: 'Performs embeddings for input text sequences.',
  sentiment: 'Performs sequence classification of input text sequences.',
  ner: 'Performs token classification of input text sequences.',
  sentence: 'Performs sentence embedding of input text sequences.',
};

async function overStdio(model: string): Promise<Client> {
  const client = new Client({ name: 'contract', version: '1' });
  const env = { ...(process.env as Record<string, string>), ENCODERFILE_CACHE_DIR: TEST_CACHE };
  await client.connect(
    new StdioClientTransport({ command: builtExecutable(model), args: ['mcp'], env, stderr: 'ignore' }),
  );
  return client;
}

verifiesOnce('mcp:tool', async () => {
  for (const [model, description] of Object.entries(DESCRIPTIONS)) {
    const client = await overStdio(model);
    const { tools } = await client.listTools();
    expect(tools).toMatchObject([{ name: 'run_encoder', description }]);
    expect(client.getServerCapabilities()).toEqual({ tools: {} });
    expect(client.getServerVersion()?.name).toBe('encoderfile');
    await client.close();
  }
});

verifiesOnce('mcp:stdio', async () => {
  const client = await overStdio('sentiment');
  const golden = readGolden('sentiment').slice(0, 20);
  const inputs = golden.map(({ text }) => text);
  const { structuredContent, content } = await client.callTool({
    name: 'run_encoder',
    arguments: { inputs },
  });
  const { results } = structuredContent as { results: { predicted_label: string }[] };
  expect(results.map(({ predicted_label }) => predicted_label)).toEqual(
    golden.map(({ predicted_label }) => predicted_label),
  );
  expect(JSON.parse((content as { text: string }[])[0]?.text ?? '')).toEqual(structuredContent);
  await client.close();

  const ping = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' });
  const answer = await runExecutable(builtExecutable('sentiment'), ['mcp'], { input: `${ping}\n` });
  expect(answer.exitCode).toBe(0);
  expect(
    answer.stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as unknown),
  ).toEqual([{ jsonrpc: '2.0', id: 1, result: {} }]);
});

verifiesOnce('mcp:http', async () => {
  const started = startExecutable(builtExecutable('ner'), [
    'mcp',
    '--http',
    '--port',
    '0',
    '--log-level',
    'info',
  ]);
  running.push(started);
  const port = portIn(await started.said(/"msg":"serving"/), 'MCP');
  const client = new Client({ name: 'contract', version: '1' });
  await client.connect(new StreamableHTTPClientTransport(new URL(`http://127.0.0.1:${port}/mcp`)));
  const { structuredContent } = await client.callTool({
    name: 'run_encoder',
    arguments: { inputs: ['Anna lives in Paris'] },
  });
  const { results } = structuredContent as { results: { tokens: { label: string }[] }[] };
  expect(results[0]?.tokens.map(({ label }) => label)).toContain('B-PER');
  await client.close();
  expect((await fetch(`http://127.0.0.1:${port}/predict`, { method: 'POST' })).status).toBe(404);
  expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
  started.child.kill('SIGINT');
  expect(await started.ended).toBe(0);

  const help = await runExecutable(builtExecutable('ner'), ['mcp', '--help']);
  expect(help.stdout).toMatch(/--host <host> +.*default: 127\.0\.0\.1/);
  expect(help.stdout).toMatch(/--port <port> +.*default: 9100/);
});
