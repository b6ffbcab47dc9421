import { describe, expect, test } from 'vitest';
import { configError } from '#contract/errors.ts';
import { createRedactor } from '#serve/redact.ts';
import { managerApi } from '#manager/http/app.ts';
import type { LogLine } from '#manager/supervisor/managed-server.ts';
import { followLogs } from '#manager/http/routes/logs.ts';
import type { ServerSpec } from '#manager/config/spec.ts';
import { serverSpec } from '../server-spec.ts';
import { openApi, readAnswer } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [serverSpec('echo', 'echo'), serverSpec('idle', 'echo', { lazy: true })],
}));
const log = (text: string): Promise<unknown> => api().post('/api/v1/servers/echo/tools/log', { text });

test('reports the status of all servers', async () => {
  const { body } = await api().get('/api/v1/admin/status');
  expect(body).toMatchObject({ $schema: 'http://localhost/schemas/Status.json', version: '1.2.3' });
  const [echo, idle] = body.servers;
  expect(echo).toMatchObject({
    name: 'echo',
    phase: 'running',
    pid: expect.any(Number),
    startedAt: expect.stringMatching(/Z$/),
    restarts: expect.any(Number),
    protocolVersion: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
    server: expect.any(String),
    running: 0,
    queued: 0,
  });
  expect(echo).not.toHaveProperty('nextStartAt');
  expect(idle.name).toBe('idle');
});

test('a restart starts a new process', async () => {
  const pid = async (): Promise<number> => {
    const { body } = await api().post('/api/v1/servers/echo/tools/process', {});
    return JSON.parse(body).pid;
  };
  const before = await pid();
  const { status, body } = await api().post('/api/v1/admin/servers/ECHO/restart');
  expect([status, body.name, body.phase]).toEqual([200, 'echo', 'running']);
  expect(await pid()).not.toBe(before);
  expect(await api().post('/api/v1/admin/servers/nobody/restart')).toMatchObject({
    status: 404,
    body: { detail: 'server not found: nobody' },
  });
});

test('the status of a server with per-user sign-in shows that the caller has not signed in', async () => {
  const { managed, get } = api();
  const remote: ServerSpec = {
    ...serverSpec('tickets', 'echo', { lazy: true }),
    launch: {
      kind: 'remote',
      transport: 'http',
      url: 'http://127.0.0.1:9/mcp',
      headers: {},
      oauth: { grant: 'authorization_code', perUser: true },
    },
  };
  managed.configure([serverSpec('echo', 'echo'), serverSpec('idle', 'echo', { lazy: true }), remote]);
  await api().post('/api/v1/admin/reload');
  expect(await get('/api/v1/admin/servers/tickets')).toMatchObject({ body: { signIn: 'required' } });
  expect((await get('/api/v1/admin/servers/echo')).body).not.toHaveProperty('signIn');
  managed.configure([serverSpec('echo', 'echo'), serverSpec('idle', 'echo', { lazy: true })]);
  await api().post('/api/v1/admin/reload');
});

describe('a reload', () => {
  test('a reload reports the changes', async () => {
    const { managed } = api();
    managed.configure([
      serverSpec('echo', 'echo'),
      serverSpec('idle', 'echo', { lazy: true, concurrency: 3 }),
      serverSpec('more', 'echo'),
    ]);
    const { status, body } = await api().post('/api/v1/admin/reload');
    expect(status).toBe(200);
    expect(body).toEqual({
      $schema: 'http://localhost/schemas/Reload.json',
      added: ['more'],
      removed: [],
      restarted: [],
      updated: ['idle'],
    });
    managed.configure([serverSpec('echo', 'echo'), serverSpec('idle', 'echo', { lazy: true })]);
    expect((await api().post('/api/v1/admin/reload')).body.removed).toEqual(['more']);
  });

  test('a reload of an invalid configuration reports the problems and is not a server error', async () => {
    const { context } = api().managed;
    const details = [{ location: '.mcpd.toml:3', message: 'tols is no key' }];
    const error = Object.assign(configError('.mcpd.toml is wrong'), { details });
    const reloader = { ...context.reloader, reload: () => Promise.reject(error) };
    const { app } = managerApi(
      { ...context, reloader },
      { hostRules: { hostname: '127.0.0.1' }, redact: createRedactor() },
    );
    const { status, body } = await readAnswer(await app.request('/api/v1/admin/reload', { method: 'POST' }));
    expect([status, body.detail, body.errors]).toEqual([422, '.mcpd.toml is wrong', details]);
  });
});

describe('logs', () => {
  test('logs return the last lines', async () => {
    for (const text of ['first', 'second', 'third']) await log(text);
    await expect
      .poll(async () => (await api().get('/api/v1/admin/servers/echo/logs')).text)
      .toContain('third');
    const { body } = await api().get('/api/v1/admin/servers/echo/logs?lines=2');
    expect(body.lines.map(({ text }: LogLine) => text)).toEqual(['second', 'third']);
    expect(body.lines[0]).toEqual({ at: expect.stringMatching(/Z$/), source: 'server', text: 'second' });
    expect((await api().get('/api/v1/admin/servers/echo/logs?lines=0')).body.lines).toEqual([]);
    expect((await api().get('/api/v1/admin/servers/echo/logs?lines=-1')).status).toBe(422);
    expect((await api().get('/api/v1/admin/servers/echo/logs?follow=perhaps')).status).toBe(422);
  });

  test('logs can be followed over the network until the client disconnects', async () => {
    await log('before');
    await expect
      .poll(async () => (await api().get('/api/v1/admin/servers/echo/logs?lines=1')).text)
      .toContain('before');
    const leaving = new AbortController();
    const url = `${await api().listen()}/api/v1/admin/servers/echo/logs?follow=true&lines=1`;
    const response = await fetch(url, { signal: leaving.signal });
    expect(response.headers.get('Content-Type')).toBe('application/x-ndjson');
    const seen: string[] = [];
    const reading = (async () => {
      for await (const chunk of response.body ?? []) {
        for (const line of Buffer.from(chunk).toString().split('\n').filter(Boolean)) {
          seen.push((JSON.parse(line) as LogLine).text);
          if (seen.length === 1) void log('while following');
          if (seen.length === 2) leaving.abort();
        }
      }
    })();
    await expect(reading).rejects.toThrow('aborted');
    expect(seen).toEqual(['before', 'while following']);
  });
});

test('the response with a followed log ends when the manager stops, and a HEAD request does not follow the log', async () => {
  const ending = await openApi({ servers: [serverSpec('echo', 'echo', { lazy: true })] });
  const path = '/api/v1/admin/servers/echo/logs?follow=true';
  const head = await ending.request(path, { method: 'HEAD' });
  expect([head.status, head.headers.get('Content-Type')]).toEqual([200, 'application/json']);
  const followed = await ending.app.request(path);
  await ending.managed.context.kernel.lifecycle.drain();
  expect(await followed.text()).toBe('');
  await ending.close();
});

describe('following a log', () => {
  const logs = (lines: LogLine[] = []) => {
    const listeners = new Set<(line: LogLine) => void>();
    return {
      listeners,
      write: (text: string) => listeners.forEach((listen) => listen({ at: 0, source: 'server', text })),
      last: () => lines,
      follow(listener: (line: LogLine) => void) {
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  };
  const options = (signal = new AbortController().signal) => ({
    lines: 10,
    keepAliveMs: 60_000,
    canRead: () => true,
    signal,
  });

  test('following stops before a line that the reader is no longer allowed to read', async () => {
    const source = logs();
    let canRead = true;
    const reader = followLogs(source, { ...options(), canRead: () => canRead }).getReader();
    source.write('for him');
    canRead = false;
    source.write('not for him');
    expect(Buffer.from((await reader.read()).value ?? '').toString()).toContain('"for him"');
    expect((await reader.read()).done).toBe(true);
    expect(source.listeners.size).toBe(0);
  });

  test('following stops when the reader loses permission, even without a new line', async () => {
    const source = logs();
    const followed = followLogs(source, { ...options(), keepAliveMs: 1, canRead: () => false });
    expect((await followed.getReader().read()).done).toBe(true);
    expect(source.listeners.size).toBe(0);
  });

  test('following stops on abort and leaves no listeners behind', async () => {
    const source = logs();
    const ending = new AbortController();
    const stream = followLogs(source, options(ending.signal));
    source.write('one');
    ending.abort();
    expect(await new Response(stream).text()).toBe(
      '{"at":"1970-01-01T00:00:00Z","source":"server","text":"one"}\n',
    );
    expect(source.listeners.size).toBe(0);
    expect(await new Response(followLogs(source, options(AbortSignal.abort()))).text()).toBe('');
    let ended = 0;
    const left = followLogs(source, { ...options(), onEnd: () => void (ended += 1) });
    expect(source.listeners.size).toBe(1);
    await left.cancel();
    expect([source.listeners.size, ended]).toEqual([0, 1]);
  });

  test('a slow reader receives the number of skipped lines', async () => {
    const source = logs();
    const ending = new AbortController();
    const reader = followLogs(source, options(ending.signal)).getReader();
    for (let line = 0; line < 1500; line += 1) source.write(`line ${line}`);
    const text = async (): Promise<string> => {
      const { value } = await reader.read();
      return (JSON.parse(Buffer.from(value ?? []).toString()) as LogLine).text;
    };
    expect(await text()).toBe('line 0');
    expect(await text()).toBe('line 1');
    source.write('after');
    const rest: string[] = [];
    while (rest.at(-1) !== 'after') rest.push(await text());
    expect(rest).toHaveLength(1000);
    expect(rest.at(-2)).toBe('500 lines were skipped: the client reads too slowly.');
    await reader.cancel();
  });

  test('empty lines are sent while there is no output', async () => {
    const reader = followLogs(logs(), { ...options(), keepAliveMs: 1 }).getReader();
    const { value } = await reader.read();
    expect(Buffer.from(value ?? []).toString()).toBe('\n');
    await reader.cancel();
  });
});
