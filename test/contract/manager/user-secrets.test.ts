import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { execa } from 'execa';
import { expect, onTestFinished } from 'vitest';
import { builtProgram } from '../../helpers/built.ts';
import { serverTable } from '../../runtime/targets/manager/user-secrets/use-users.ts';
import { verifiesOnce } from '../verifies.ts';
import { filesIn, writeFiles } from './arms.ts';
import { useDaemons } from './daemon-process.ts';
import { connectWithRoots } from './use-session.ts';

const { start } = useDaemons();

const CONFIG = serverTable(
  'echo',
  'echo.mjs',
  'env = { TOKEN = "${user.secret.TOKEN}", WHO = "${user.id}" }',
);

/** Runs a command with the files in a folder. */
const commandsIn =
  (folder: string) =>
  (args: readonly string[], input = '') =>
    execa(builtProgram('manager'), [...args, ...filesIn(folder)], { input, reject: false });

async function startDaemon() {
  const api = await start({ config: CONFIG }, ['--log-level', 'trace']);
  const manager = commandsIn(api.folder);
  const keyFor = async (name: string): Promise<string> =>
    (await manager(['keys', 'create', '--name', name])).stdout;
  const send = async (key: string, method: string, path: string, body?: object) => {
    const response = await fetch(`${api.url}/api/v1${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      ...(body && { body: JSON.stringify(body) }),
    });
    return { status: response.status, text: await response.text() };
  };
  const env = async (key: string): Promise<{ TOKEN?: string; WHO?: string; problem?: string }> => {
    const { status, text } = await send(key, 'POST', '/servers/echo/tools/env', {});
    return status === 200 ? JSON.parse(JSON.parse(text)) : { problem: JSON.parse(text).detail };
  };
  const at = (key: string): string[] => ['--url', api.url, '--api-key', key];
  return { api, manager, keyFor, send, env, at };
}

verifiesOnce('daemon:user-secrets', async () => {
  const { api, manager, keyFor, send, env, at } = await startDaemon();
  const [ann, bob] = [await keyFor('ann'), await keyFor('bob')];
  const missing = expect.stringMatching(
    /^server echo requires your secret TOKEN\. Open http:\/\/127\.0\.0\.1:\d+\/secrets\?link=[\w-]{24}, or run `mcp-manager secret set TOKEN`\.$/,
  );
  await expect.poll(() => env(ann), { timeout: 10_000 }).toEqual({ problem: missing });

  const set = await manager(['secret', 'set', 'TOKEN', ...at(ann)], 'secret-of-ann\n');
  expect([set.exitCode, set.stdout]).toEqual([0, 'Set TOKEN.']);
  expect(await env(ann)).toMatchObject({ TOKEN: 'secret-of-ann', WHO: 'ann' });

  const { problem = '' } = await env(bob);
  const [, link = ''] = /link=([\w-]+)/.exec(problem) ?? [];
  const secrets = { TOKEN: 'secret-of-bob' };
  expect((await send(ann, 'POST', `/secret-links/${link}`, { secrets })).status).toBe(422);
  expect((await send(bob, 'POST', `/secret-links/${link}`, { secrets })).status).toBe(200);
  expect(await env(bob)).toMatchObject({ TOKEN: 'secret-of-bob', WHO: 'bob' });
  expect(await env(ann)).toMatchObject({ TOKEN: 'secret-of-ann' });
  expect((await manager(['secret', 'set', 'OTHER', ...at(ann)], 'x')).stderr).toContain(
    'No server that you can use requires a secret "OTHER". Servers require: TOKEN.',
  );

  const { text } = await send(ann, 'POST', '/servers/echo/tools/process', {});
  const { pid } = JSON.parse(JSON.parse(text)) as { pid: number };
  const annsFile = readdirSync(join(api.folder, 'user-secrets')).length;
  expect(annsFile).toBeGreaterThanOrEqual(2);
  expect((await manager(['keys', 'revoke', 'ann'])).exitCode).toBe(0);
  const isRunning = (): boolean => {
    try {
      return process.kill(pid, 0);
    } catch {
      return false;
    }
  };
  await expect.poll(isRunning, { timeout: 15_000 }).toBe(false);
  expect(await env(bob)).toMatchObject({ TOKEN: 'secret-of-bob' });
  const sealed = readdirSync(join(api.folder, 'user-secrets')).filter((name) => name.endsWith('.json'));
  expect(sealed).toHaveLength(1);

  await api.stop();
  const files = readdirSync(api.folder, { recursive: true, encoding: 'utf8' }).map((name) =>
    join(api.folder, name),
  );
  const texts = files.filter((file) => statSync(file).isFile()).map((file) => readFileSync(file, 'utf8'));
  for (const one of [api.log(), ...texts]) expect(one).not.toContain('secret-of-');
});

verifiesOnce('daemon:user-secrets:files', async () => {
  const { manager, keyFor, env } = await startDaemon();
  const ann = await keyFor('ann');
  await expect
    .poll(async () => (await env(ann)).problem, { timeout: 10_000 })
    .toContain('requires your secret');
  const of = ['--key', 'ann'];
  expect((await manager(['secret', 'list', ...of])).stdout).toBe('TOKEN  not set  echo');
  expect((await manager(['secret', 'set', 'TOKEN', ...of], 'one')).stdout).toBe('Set TOKEN.');
  expect(await env(ann)).toMatchObject({ TOKEN: 'one' });
  expect((await manager(['secret', 'set', 'TOKEN', ...of], 'two')).stdout).toBe('Set TOKEN.');
  expect(await env(ann)).toMatchObject({ TOKEN: 'two' });
  const listed = await manager(['secret', 'list', '--json', ...of]);
  expect(JSON.parse(listed.stdout)).toEqual({ secrets: [{ name: 'TOKEN', isSet: true, servers: ['echo'] }] });
  expect((await manager(['secret', 'remove', 'TOKEN', ...of])).stdout).toBe('Removed TOKEN.');
  expect((await env(ann)).problem).toContain('requires your secret TOKEN');
  const other = await manager(['secret', 'set', 'NEXT', ...of], 'x');
  expect([other.exitCode, other.stderr]).toEqual([0, 'No enabled server requires NEXT yet.']);
  expect((await manager(['secret', 'clear', ...of])).stdout).toBe('Removed 1 secret.');

  for (const [args, problem] of [
    [['set', 'TOKEN', ...of], 'The value of TOKEN is empty. Enter it, or pass it on stdin'],
    [['remove', 'TOKEN', ...of], 'There is no secret "TOKEN". See `mcp-manager secret list`.'],
    [['list', '--key', 'other'], 'contains no active key "other". Active keys: ann.'],
    [['list', '--local', ...of], '--local and --key conflict with each other; use one of them.'],
    [['list', '--subject', 'x'], '[daemon.api.oauth] is not configured'],
    [['clear'], 'Select the user with --local, --key or --subject.'],
  ] as const) {
    const { exitCode, stderr } = await manager(['secret', ...args]);
    expect([exitCode === 0, stderr], args.join(' ')).toEqual([false, expect.stringContaining(problem)]);
  }
});

verifiesOnce('stdio:user-secrets', async () => {
  const folder = writeFiles({ config: CONFIG });
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const manager = commandsIn(folder);
  expect((await manager(['secret', 'set', 'TOKEN', '--local'], 'mine')).stdout).toBe('Set TOKEN.');
  const args = ['stdio', '--local', ...filesIn(folder)];
  const { client } = await connectWithRoots(
    new StdioClientTransport({ command: builtProgram('manager'), args, stderr: 'ignore' }),
  );
  onTestFinished(() => client.close());
  const { content } = await client.callTool({ name: 'echo__env', arguments: {} });
  const [{ text }] = content as [{ text: string }];
  expect(JSON.parse(text)).toMatchObject({ TOKEN: 'mine', WHO: 'local' });
});
