import { rmSync } from 'node:fs';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js';
import { afterEach, expect } from 'vitest';
import { builtProgram } from '../../helpers/built.ts';
import { runProcess } from '../../helpers/run-process.ts';
import { startExecutable } from '../../helpers/start-executable.ts';
import { isAlive } from '../../runtime/targets/manager/upstream/processes.ts';
import { verifiesOnce } from '../verifies.ts';
import { filesIn, writeFiles } from './arms.ts';
import { serversToml, TWO } from './config.ts';
import { useDaemons } from './daemon-process.ts';
import { connectWithRoots, useEverything } from './use-session.ts';

const { start, launch } = useDaemons();

const clients: Client[] = [];
const folders: string[] = [];
afterEach(async () => {
  await Promise.all(clients.splice(0).map((client) => client.close()));
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function folderWith(config: string): string {
  const folder = writeFiles({ config });
  folders.push(folder);
  return folder;
}

/** An SDK client that starts `mcp-manager stdio`. */
async function connect(folder: string, flags: readonly string[]): ReturnType<typeof connectWithRoots> {
  const args = ['stdio', ...filesIn(folder), ...flags];
  const connected = await connectWithRoots(
    new StdioClientTransport({ command: builtProgram('manager'), args, stderr: 'ignore' }),
  );
  clients.push(connected.client);
  return connected;
}

const serversOf = async (client: Client): Promise<string[]> => {
  const { tools } = await client.listTools();
  return [...new Set(tools.map(({ name }) => name.split('__')[0] ?? ''))];
};

verifiesOnce('manager:stdio:daemon', async () => {
  const daemon = await start({ config: TWO });
  const { client, changes } = await connect(daemon.folder, ['--url', daemon.url]);
  await useEverything(client, changes);
  const selected = await connect(daemon.folder, [
    '--url',
    daemon.url,
    '--servers',
    'two',
    '--tools',
    'one/e*',
  ]);
  const names = (await selected.client.listTools()).tools.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['two__add', 'one__echo']));
  expect(names).not.toContain('one__add');
  await expect(selected.client.callTool({ name: 'one__add', arguments: {} })).rejects.toThrow(/not allowed/);
  expect(await serversOf(client)).toEqual(['one', 'two']);
});

verifiesOnce('manager:stdio:local', async () => {
  const folder = folderWith(TWO);
  const { client, changes } = await connect(folder, ['--local']);
  await useEverything(client, changes);
  const selected = await connect(folder, ['--local', '--servers', 'two']);
  expect(await serversOf(selected.client)).toEqual(['two']);

  const lines = [
    { id: 'a', method: 'server/discover' },
    { id: 'b', method: 'tools/list' },
    { id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } },
    { method: 'notifications/initialized' },
    { id: 'c', method: 'tools/call', params: { name: 'one__number', arguments: { value: 1 } } },
  ].map((message) =>
    JSON.stringify({ jsonrpc: '2.0', ...message }).replace('"value":1}', '"value":0.10000000000000000001}'),
  );
  const { stdout, exitCode } = await runProcess(
    builtProgram('manager'),
    ['stdio', ...filesIn(folder), '--local', '--log-level', 'debug'],
    { input: `${lines.join('\n')}\nnot json\n` },
  );
  const messages = stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(exitCode).toBe(0);
  expect(messages.every(({ jsonrpc }) => jsonrpc === '2.0')).toBe(true);
  expect(messages.find(({ id }) => id === 'a')).toMatchObject({ error: { code: -32_601 } });
  expect(messages.find(({ id }) => id === 'b')).toMatchObject({
    error: { code: -32_600, message: expect.stringContaining('send `initialize`') as string },
  });
  expect(messages.find(({ id }) => id === null)).toMatchObject({ error: { code: -32_700 } });
  expect(stdout).toContain('"value":0.10000000000000000001');
});

verifiesOnce('manager:stdio:group', async () => {
  const daemon = await start({ config: `${TWO}\n[[groups]]\nname = "small"\ntools = ["one/e*"]\n` });
  for (const way of [['--url', daemon.url], ['--local']]) {
    const { client } = await connect(daemon.folder, [...way, '--group', 'Small']);
    const names = (await client.listTools()).tools.map(({ name }) => name);
    expect(names).toContain('one__echo');
    expect(names.filter((name) => !name.startsWith('one__e'))).toEqual([]);
    const call = client.callTool({ name: 'one__add', arguments: { a: 1, b: 2 } });
    await expect(call).rejects.toThrow(/not allowed/);
    const { exitCode, stderr } = await runProcess(
      builtProgram('manager'),
      ['stdio', ...filesIn(daemon.folder), ...way, '--group', 'none'],
      { input: '' },
    );
    expect([way, exitCode, stderr]).toEqual([way, 1, expect.stringContaining('group not found: none')]);
  }
});

verifiesOnce('manager:stdio:ends', async () => {
  const folder = folderWith(serversToml({ name: 'family', run: ['grandchild.mjs'] }));
  const running = async (): Promise<{
    readonly process: ReturnType<typeof startExecutable>;
    readonly pids: readonly number[];
  }> => {
    const process = startExecutable(builtProgram('manager'), [
      'stdio',
      ...filesIn(folder),
      '--local',
      '--timeout-mcp-shutdown',
      '1s',
    ]);
    const send = (message: object): void =>
      void process.child.stdin?.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
    send({ id: 1, method: 'initialize', params: { protocolVersion: '2025-11-25', capabilities: {} } });
    send({ id: 2, method: 'tools/call', params: { name: 'family__pids', arguments: {} } });
    const pids = (): number[] =>
      [...process.stdout().matchAll(/\\"\w+\\":(\d+)/g)].map(([, pid]) => Number(pid));
    await expect.poll(pids, { timeout: 20_000 }).toHaveLength(2);
    return { process, pids: pids() };
  };
  const ways: readonly ((child: ReturnType<typeof startExecutable>['child']) => unknown)[] = [
    ({ stdin }) => stdin?.end(),
    (child) => child.kill('SIGTERM'),
    (child) => child.kill('SIGKILL'),
  ];
  const ending = ways.map(async (end) => {
    const { process, pids } = await running();
    expect(pids.map(isAlive)).toEqual([true, true]);
    end(process.child);
    await process.ended;
    await expect.poll(() => pids.some(isAlive), { timeout: 10_000 }).toBe(false);
  });
  await Promise.all(ending);
});

verifiesOnce('manager:stdio:restart', async () => {
  const daemon = await start({ config: TWO });
  const { client, changes } = await connect(daemon.folder, ['--url', daemon.url]);
  await client.listTools();
  const held = client.callTool({ name: 'one__hold', arguments: { key: 'lost' } });
  const logged = async (): Promise<string> => (await daemon.get('/api/v1/admin/servers/one/logs')).text;
  await expect.poll(logged).toContain('holding lost');
  daemon.child.kill('SIGKILL');
  await expect(held).rejects.toThrow(/closed the connection/);
  await daemon.ended;
  const before = changes();
  launch(daemon.folder, ['--addr', new URL(daemon.url).host]);
  await expect.poll(changes, { timeout: 20_000 }).toBeGreaterThan(before);
  expect(await client.callTool({ name: 'two__echo', arguments: { message: 'again' } })).toMatchObject({
    content: [{ text: 'again' }],
  });
});

verifiesOnce('manager:stdio:refused', async () => {
  const folder = folderWith(
    `${TWO}\n[plugins]\ndir = "/plugins"\n[[plugins.audit]]\nname = "x"\nflows = ["request"]\n`,
  );
  const run = (...flags: string[]): ReturnType<typeof runProcess> =>
    runProcess(builtProgram('manager'), ['stdio', ...filesIn(folder), ...flags]);
  const cases = [
    [['--url', '127.0.0.1:1'], 1, /^Error: No manager is running at http:\/\/127\.0\.0\.1:1\. Start one/],
    [['--url', '127.0.0.1:1', '--local'], 2, /--local and --url conflict/],
    [['--local', '--servers', ''], 2, /--servers/],
    [['--local', '--servers', 'onw'], 1, /^Error: Unknown server "onw". Did you mean "one"\?/],
    [['--local', '--api-key-file', '/nowhere'], 1, /^Error: \/nowhere does not exist/],
    [['extra'], 2, /Unexpected argument "extra"/],
    [['--local'], 1, /^Error: The configuration has plugins, which only `mcp-manager daemon` runs/],
  ] as const;
  for (const [flags, code, message] of cases) {
    const { exitCode, stdout, stderr } = await run(...flags);
    expect([flags, exitCode, stdout]).toEqual([flags, code, '']);
    expect(stderr).toMatch(message);
  }
});
