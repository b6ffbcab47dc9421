import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { afterEach, expect } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { verifiesOnce } from '../verifies.ts';
import { type RunningDaemon, useDaemons } from './daemon-process.ts';
import type { Answer } from '../shared-services.ts';

const { start } = useDaemons();
const temp = useTempFolder();
const after: (() => void)[] = [];
afterEach(() => {
  for (const end of after.splice(0)) end();
});

const PACKAGES = {
  everything: '@modelcontextprotocol/server-everything/dist/index.js',
  filesystem: '@modelcontextprotocol/server-filesystem/dist/index.js',
  memory: '@modelcontextprotocol/server-memory/dist/index.js',
  thinking: '@modelcontextprotocol/server-sequential-thinking/dist/index.js',
  git: '@cyanheads/git-mcp-server/dist/index.js',
  time: 'time-mcp/dist/index.js',
} as const;
type Name = keyof typeof PACKAGES;

const installed = (name: Name): string => join(ROOT, 'node_modules', PACKAGES[name]);

/** As users configure it in their clients. */
function toml(name: Name, args: readonly string[] = [], env: Record<string, string> = {}): string {
  return [
    '[[servers]]',
    `name = "${name}"`,
    `command = ${JSON.stringify(process.execPath)}`,
    `args = ${JSON.stringify([installed(name), ...args])}`,
    'tools = ["*"]',
    '[servers.env]',
    ...Object.entries(env).map(([key, value]) => `${key} = ${JSON.stringify(value)}`),
  ].join('\n');
}

interface Served {
  readonly daemon: RunningDaemon;
  readonly call: (tool: string, args?: object) => Promise<string>;
  readonly get: (path: string) => Promise<Answer['body']>;
}

async function serve(name: Name, config: string): Promise<Served> {
  const daemon = await start({ config });
  const path = `/api/v1/servers/${name}`;
  return {
    daemon,
    async get(rest) {
      const { status, body, text } = await daemon.get(`${path}${rest}`);
      expect(`${status} ${status === 200 ? '' : text}`).toBe('200 ');
      return body;
    },
    async call(tool, args = {}) {
      const { status, body, text } = await daemon.post(`${path}/tools/${tool}`, args);
      expect(`${status} ${status === 200 ? '' : text}`).toBe('200 ');
      return body;
    },
  };
}

async function everyOperation({ daemon, call, get }: Served): Promise<void> {
  const { tools } = await get('/tools');
  const names = tools.map(({ name }: { name: string }) => name);
  expect(names).toContain('get-sum');
  expect(await call('echo', { message: 'hello' })).toBe('Echo: hello');
  expect(await call('get-sum', { a: 2, b: 40 })).toContain('42');
  expect(JSON.parse(await call('get-structured-content', { location: 'Chicago' }))).toHaveProperty(
    'temperature',
  );
  expect(await call('get-annotated-message', { messageType: 'error', includeImage: false })).toContain(
    'Error',
  );
  expect((await call('get-tiny-image')).length).toBeGreaterThan(10);
  expect(await call('get-resource-links', { count: 2 })).toMatch(/./);
  expect(await call('get-resource-reference', { resourceType: 'Text', resourceId: 1 })).toMatch(/./);
  expect(await call('trigger-long-running-operation', { duration: 0.2, steps: 2 })).toContain('completed');
  expect(await call('toggle-simulated-logging')).toMatch(/./);
  expect(await call('toggle-subscriber-updates')).toMatch(/./);

  const { prompts } = await get('/prompts');
  expect(prompts.map(({ name }: { name: string }) => name)).toContain('args-prompt');
  const prompt = await daemon.post('/api/v1/servers/everything/prompts/args-prompt', {
    arguments: { city: 'Oslo' },
  });
  expect(prompt.text).toContain('Oslo');
  const { resources } = await get('/resources');
  const [content] = await get(`/resources/content?uri=${encodeURIComponent(resources[0].uri)}`);
  expect(content.text.length).toBeGreaterThan(10);
  const { templates } = await get('/resources/templates');
  expect(templates).toHaveLength(2);
  const [blob] = await get(`/resources/content?uri=${encodeURIComponent('demo://resource/dynamic/blob/1')}`);
  expect(blob.blob).toMatch(/^[A-Za-z0-9+/]+=*$/);
}

verifiesOnce('real:everything', async () => {
  const served = await serve('everything', toml('everything'));
  await everyOperation(served);

  const client = new Client({ name: 'test', version: '1' });
  after.push(() => void client.close());
  await client.connect(new StreamableHTTPClientTransport(new URL(`${served.daemon.url}/mcp/everything`)));
  const progress: number[] = [];
  const result = await client.callTool(
    { name: 'trigger-long-running-operation', arguments: { duration: 0.4, steps: 4 } },
    undefined,
    { onprogress: (step) => progress.push(step.progress) },
  );
  expect(JSON.stringify(result)).toContain('completed');
  expect(progress).toEqual([1, 2, 3, 4]);
  const { completion } = await client.complete({
    ref: { type: 'ref/prompt', name: 'completable-prompt' },
    argument: { name: 'department', value: 'E' },
  });
  expect(completion.values).toContain('Engineering');
});

verifiesOnce('real:everything-remote', async () => {
  for (const [transport, path] of [
    ['streamableHttp', '/mcp'],
    ['sse', '/sse'],
  ] as const) {
    const port = await freePort();
    const child = spawn(process.execPath, [installed('everything'), transport], {
      env: { ...process.env, PORT: String(port) },
      stdio: 'ignore',
    });
    after.push(() => child.kill('SIGKILL'));
    await expect.poll(() => listens(port)).toBe(true);
    const kind = transport === 'sse' ? 'transport = "sse"\n' : '';
    const url = `http://127.0.0.1:${port}${path}`;
    const config = `[[servers]]\nname = "everything"\nurl = "${url}"\n${kind}tools = ["*"]\n`;
    await everyOperation(await serve('everything', config));
  }
});

verifiesOnce('real:filesystem', async () => {
  const folder = join(temp(), 'files äöü');
  mkdirSync(folder);
  const { call, daemon } = await serve('filesystem', toml('filesystem', [folder]));
  const path = join(folder, 'note.txt');
  await call('write_file', { path, content: 'one\ntwo\n' });
  expect(readFileSync(path, 'utf8')).toBe('one\ntwo\n');
  expect(await call('read_text_file', { path })).toContain('two');
  expect(await call('list_directory', { path: folder })).toContain('note.txt');
  await call('edit_file', { path, edits: [{ oldText: 'two', newText: 'three' }] });
  expect(readFileSync(path, 'utf8')).toBe('one\nthree\n');
  expect(await call('search_files', { path: folder, pattern: '**/*.txt' })).toContain('note.txt');
  expect(await call('get_file_info', { path })).toContain('size');
  const refused = await daemon.post('/api/v1/servers/filesystem/tools/read_text_file', {
    path: '/etc/passwd',
  });
  expect(refused.status).toBe(502);
  expect(refused.body.errors[0].message).toContain('Access denied');
  expect((await daemon.get('/api/v1/servers/filesystem/prompts')).status).toBe(501);
});

verifiesOnce('real:memory', async () => {
  const file = join(temp(), 'memory.jsonl');
  const { call, daemon } = await serve('memory', toml('memory', [], { MEMORY_FILE_PATH: file }));
  const entities = [{ name: 'Ada', entityType: 'person', observations: ['wrote notes'] }];
  await call('create_entities', { entities });
  await call('create_relations', { relations: [{ from: 'Ada', to: 'Ada', relationType: 'knows' }] });
  await call('add_observations', { observations: [{ entityName: 'Ada', contents: ['was a countess'] }] });
  expect((await daemon.post('/api/v1/admin/servers/memory/restart', {})).status).toBe(200);
  for (const answer of [
    await call('read_graph'),
    await call('search_nodes', { query: 'countess' }),
    await call('open_nodes', { names: ['Ada'] }),
  ]) {
    expect(answer).toContain('was a countess');
  }
  await call('delete_entities', { entityNames: ['Ada'] });
  expect(await call('read_graph')).not.toContain('Ada');
});

verifiesOnce('real:sequential-thinking', async () => {
  const { call } = await serve('thinking', toml('thinking'));
  for (const thoughtNumber of [1, 2, 3]) {
    const thought = { thought: `step ${thoughtNumber}`, thoughtNumber, totalThoughts: 3 };
    const answer = await call('sequentialthinking', { ...thought, nextThoughtNeeded: thoughtNumber < 3 });
    expect(JSON.parse(answer)).toMatchObject({ thoughtNumber, thoughtHistoryLength: thoughtNumber });
  }
});

verifiesOnce('real:git', async () => {
  const path = join(temp(), 'repository');
  mkdirSync(path);
  const identity = { name: 'A U Thor', email: 'author@example.com' };
  const { call, get } = await serve(
    'git',
    toml('git', [], {
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      HOME: temp(),
    }),
  );
  await call('git_init', { path });
  await call('git_commit', { path, message: 'First', allowEmpty: true, author: identity });
  expect(await call('git_log', { path })).toContain('First');
  expect(await call('git_status', { path })).toMatch(/./);
  expect((await get('/prompts')).prompts).toHaveLength(1);
  expect((await get('/resources')).resources[0].uri).toBe('git://working-directory');
});

verifiesOnce('real:time', async () => {
  const { call, get } = await serve('time', toml('time'));
  expect((await get('/tools')).tools).toHaveLength(6);
  expect(await call('days_in_month', { date: '2024-02-10' })).toContain('29');
  const converted = { sourceTimezone: 'UTC', targetTimezone: 'Asia/Tokyo', time: '2026-01-01 00:00:00' };
  expect(await call('convert_time', converted)).toContain('09:00');
});

function listens(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1', () => resolve(true)).on('error', () => resolve(false));
  void promise.then(() => socket.destroy());
  return promise;
}

/** server-everything listens on a given port, which cannot be 0. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}
