import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, expect, test } from 'vitest';
import { call, INITIALIZE } from '../../../serve/mcp/requests.ts';
import { builtAssets } from '#test/helpers/built.ts';

const PROGRAM = [fileURLToPath(new URL('./stdio-program.ts', import.meta.url)), builtAssets('sentiment')];
const CALL = {
  ...call(2, 'run_encoder'),
  params: { name: 'run_encoder', arguments: { inputs: ['I love this'] } },
};

const started: ChildProcessByStdio<Writable, Readable, Readable>[] = [];
afterEach(() => {
  for (const child of started.splice(0)) child.kill('SIGKILL');
});

function start(): { child: (typeof started)[number]; stderr: Promise<string> } {
  const child = spawn(process.execPath, PROGRAM, { stdio: ['pipe', 'pipe', 'pipe'] });
  started.push(child);
  return { child, stderr: text(child.stderr) };
}

test('an SDK client communicates with the process', async () => {
  const client = new Client({ name: 'test', version: '1.0.0' });
  const transport = new StdioClientTransport({ command: process.execPath, args: PROGRAM, stderr: 'ignore' });
  await client.connect(transport);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(['run_encoder']);
  const answer = await client.callTool({ name: 'run_encoder', arguments: { inputs: ['I love this'] } });
  expect(answer.structuredContent).toMatchObject({ results: [{ predicted_label: 'POSITIVE' }] });
  await client.close();
});

test('if all input arrives together, all requests get responses, stdout contains nothing else, and the process exits', async () => {
  const { child, stderr } = start();
  const stdout = text(child.stdout);
  const lines = [INITIALIZE, 'garbage', CALL, { ...CALL, id: 3 }];
  child.stdin.end(lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const [code] = await once(child, 'exit');
  const answers = (await stdout)
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(answers).toHaveLength(4);
  expect(new Set(answers.map(({ id }) => id))).toEqual(new Set([1, 2, 3, null]));
  expect({ code, stderr: await stderr }).toEqual({ code: 0, stderr: 'ended\n' });
});

test('SIGTERM stops the process while stdin is open', async () => {
  const { child, stderr } = start();
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  const [code] = await once(child, 'exit');
  expect({ code, stderr: await stderr }).toEqual({ code: 0, stderr: 'ended\n' });
});

test('the process exits with an error if the client closes stdout before all responses', async () => {
  const { child, stderr } = start();
  child.stdin.write(`${JSON.stringify(INITIALIZE)}\n`);
  await once(child.stdout, 'data');
  child.stdout.destroy();
  child.stdin.write(`${JSON.stringify(CALL)}\n`);
  const [code] = await once(child, 'exit');
  expect(code).toBe(1);
  expect(await stderr).toContain(
    'Cannot write to stdout: the client closed it before it had read all responses.',
  );
});
