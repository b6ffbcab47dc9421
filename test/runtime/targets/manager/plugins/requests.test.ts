import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { link, plugin, post, served, WARN } from './served.ts';

const folder = useTempFolder();

interface Echo {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

test('changes to a request by content plugins reach the handler, in order', async () => {
  link(folder(), 'first', 'change-request');
  link(folder(), 'second', 'change-request');
  const { url } = await served({
    dir: folder(),
    content: [
      plugin('first', { config: { label: 'first', drop: 'x-secret' } }),
      plugin('second', { config: { label: 'second' } }),
    ],
  });
  const answer = await post(`${url}/echo?q=1`, { own: 1 }, { 'X-Secret': 's' });
  const { body, headers, query } = (await answer.json()) as Echo;
  expect(JSON.parse(body)).toEqual({ own: 1, first: true, second: true });
  expect(headers).toMatchObject({ 'x-label': 'second', 'content-type': 'application/json' });
  expect(headers['content-length']).toBe(String(body.length));
  expect(headers).not.toHaveProperty('x-secret');
  expect(query).toEqual({ q: '1' });
});

test('a content plugin can send a request to another path', async () => {
  const { url } = await served({
    content: [plugin('change-request', { config: { label: 'moved', path: '/other' } })],
  });
  const answer = await post(`${url}/echo?q=1`);
  expect(await answer.json()).toEqual({ path: '/other', query: { q: '1' } });
});

test('plugins of other categories cannot change requests', async () => {
  const { url } = await served({
    validation: [plugin('change-request', { config: { label: 'changed', path: '/other' } })],
    audit: [plugin('change-response', { flows: ['response'] })],
  });
  const answer = await post(`${url}/echo`, { own: 1 });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({ body: '{"own":1}' });
  expect(answer.headers.has('X-Changed')).toBe(false);
});

test('the handler is notified when a client disconnects, even behind plugins', async () => {
  const [begun, left] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { url } = await served(
    { content: [plugin('change-request', { config: { label: 'changed' } })] },
    {},
    (app) =>
      app.post('/hang', async (c) => {
        c.req.raw.signal.addEventListener('abort', () => left.resolve());
        begun.resolve();
        await left.promise;
        return c.text('too late');
      }),
  );
  const client = new AbortController();
  const answer = fetch(`${url}/hang`, { method: 'POST', body: '{}', signal: client.signal });
  await begun.promise;
  client.abort();
  await expect(answer).rejects.toThrow('aborted');
  await left.promise;
});

test('health and metrics routes bypass plugins, and requests are handled directly if there are no plugins', async () => {
  const guarded = await served({ authentication: [plugin('deny')] });
  const open = await served({});
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect(await (await fetch(guarded.url + path)).text()).toBe('as ever');
  }
  expect((await post(`${guarded.url}/echo`)).status).toBe(403);
  expect((await post(`${open.url}/echo`)).status).toBe(200);
  expect(open.plugins.has('request') || open.plugins.has('response')).toBe(false);
});

test('a body too large for plugins is rejected', async () => {
  const { url } = await served({ audit: [plugin('allow')] });
  const answer = await post(`${url}/echo`, 'x'.repeat(4_000_000));
  expect(answer.status).toBe(413);
  expect(await answer.json()).toMatchObject({ detail: 'request body is too large limit=3932160 bytes' });
});

test('a plugin receives its configuration and the same request as in mcpd', async () => {
  const { url } = await served(
    { authentication: [plugin('show', { config: { realm: 'r-${NUMBER}' } })] },
    { env: { ...process.env, NUMBER: '7', MCPD__TIME__KEY: 'of a server', AUTH_TOKEN: 'of plugins' } },
  );
  const answer = await post(`${url}/api/v1/servers/t%69me?x=%20`, { a: 1 }, { Authorization: 'Bearer k' });
  expect(answer.status).toBe(200);
  expect(await answer.json()).toMatchObject({
    method: 'POST',
    url: `${url}/api/v1/servers/t%69me?x=%20`,
    path: '/api/v1/servers/time',
    requestUri: '/api/v1/servers/t%69me?x=%20',
    remoteAddr: '127.0.0.1',
    headers: { Authorization: 'Bearer k', 'Content-Type': 'application/json' },
    body: '{"a":1}',
    config: { realm: 'r-7' },
    env: expect.not.objectContaining({ MCPD__TIME__KEY: expect.anything() as string }) as object,
  });
});

test('a rejection becomes the response with its status, headers and body, and skips the remaining plugins', async () => {
  const file = join(folder(), 'record');
  const { url } = await served({
    authentication: [plugin('record', { config: { file, label: 'before' } })],
    authorization: [plugin('deny')],
    audit: [plugin('record', { flows: ['request', 'response'], config: { file, label: 'after' } })],
  });
  const answer = await post(`${url}/echo`, { a: 1 });
  expect(answer.status).toBe(403);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'application/json',
    'x-denied-by': 'deny',
    'x-request-id': expect.stringMatching(/./) as string,
  });
  expect(answer.headers.has('X-Handler')).toBe(false);
  expect(await answer.text()).toBe('{"error":"not today"}');
  expect(readFileSync(file, 'utf8')).toBe('before request {"a":1}\n');
});

test('categories run in a fixed order, regardless of their order in the file', async () => {
  const file = join(folder(), 'record');
  const record = (label: string): object => ({
    name: 'record',
    kind: 'js',
    path: 'module.mjs',
    flows: ['request', 'response'],
    config: { behavior: 'observe', file, label },
  });
  const { url } = await served({
    audit: [record('audit')],
    content: [plugin('change-request', { config: { label: 'changed' } }), record('content')],
    validation: [record('validation')],
    authorization: [record('authorization')],
    rate_limiting: [record('rate_limiting')],
    authentication: [record('authentication')],
    observability: [record('observability')],
  });
  await post(`${url}/other`, {});
  const lines = readFileSync(file, 'utf8').trim().split('\n');
  const order = ['observability', 'authentication', 'authorization', 'rate_limiting', 'validation'];
  expect(lines).toEqual([
    ...order.map((category) => `${category} request {}`),
    'content request {"changed":true}',
    'audit request {"changed":true}',
    ...[...order, 'content', 'audit'].map(
      (category) => `${category} response 200 {"path":"/other","query":{}}`,
    ),
  ]);
});

test('observing plugins run concurrently, and only required plugins can reject requests', async () => {
  link(folder(), 'first', 'meet');
  link(folder(), 'second', 'meet');
  const first = (required: boolean): object =>
    plugin('first', { required, config: { folder: folder(), own: 'refuses', other: 'other' } });
  const second = plugin('second', { config: { folder: folder(), own: 'other', other: 'refuses' } });
  const optional = await served({ dir: folder(), observability: [first(false), second] });
  expect((await post(`${optional.url}/other`)).status).toBe(200);
  expect(optional.logged.filter(({ level }) => level === WARN)).toMatchObject([
    { plugin: 'first.mjs', msg: 'rejection ignored: the plugin is not required and can only observe' },
  ]);

  const required = await served({ dir: folder(), observability: [first(true), second] });
  const answer = await post(`${required.url}/echo`);
  expect(answer.headers.has('X-Handler')).toBe(false);
});
