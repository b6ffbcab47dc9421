import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import {
  ElicitRequestSchema,
  ListRootsRequestSchema,
  ResultSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { remoteLaunch, startRemote } from '../upstream/remote-fixture.ts';
import { sendStateless } from './stateless-request.ts';
import { type Managed, openManager } from './managed.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [serverSpec('echo', 'echo'), serverSpec('modern', 'modern-only')],
  });
  await Promise.all([managed.running('echo'), managed.running('modern')]);
});
afterAll(() => managed.close());

const ROOTS = { roots: [{ uri: 'file:///home/ada', name: 'ada' }] };

/** A client that returns its roots. */
async function withRoots(path = '/mcp'): Promise<Client> {
  const client = await managed.connect(path, {}, { roots: {} });
  client.setRequestHandler(ListRootsRequestSchema, () => ROOTS);
  return client;
}

/** The response that the server receives to this request. */
async function askedBy(client: Client, method: string, tool = 'echo__ask'): Promise<unknown> {
  const { content } = await client.callTool({ name: tool, arguments: { method } });
  const [block] = content as { text: string }[];
  return JSON.parse(block?.text ?? '') as unknown;
}

/** Keeps a call pending until the returned function is called. */
async function holdCall(client: Client, key: string): Promise<() => Promise<void>> {
  const holding = managed.nextLogLine('echo', new RegExp(`^holding ${key}`));
  const held = client.callTool({ name: 'echo__hold', arguments: { key } });
  await holding;
  return async () => {
    await client.callTool({ name: 'echo__release', arguments: { key } });
    await held;
  };
}

test.each([
  ['/mcp', 'echo__ask'],
  ['/mcp/echo', 'ask'],
])("%s: a server's request during a call reaches the client that made the call", async (path, tool) => {
  expect(await askedBy(await withRoots(path), 'roots/list', tool)).toMatchObject({ result: ROOTS });
});

test("a client can respond to a server's request with an error", async () => {
  const client = await managed.connect('/mcp', {}, { roots: {} });
  client.setRequestHandler(ListRootsRequestSchema, () => {
    throw Object.assign(new Error('None of your business.'), { code: -32_099 });
  });
  expect(await askedBy(client, 'roots/list')).toMatchObject({ error: { code: -32_099 } });
});

test('a client receives no requests that it does not support', async () => {
  const client = await withRoots();
  expect(await askedBy(client, 'sampling/createMessage')).toMatchObject({
    error: { code: -32_601, message: expect.stringContaining('does not support sampling') as string },
  });
  expect(await askedBy(client, 'nothing/known')).toMatchObject({ error: { code: -32_601 } });
});

test("no client receives a server's request if calls from several clients are running", async () => {
  const [one, other] = [await withRoots(), await withRoots()];
  const release = await holdCall(other, 'several');
  expect(await askedBy(one, 'roots/list')).toMatchObject({
    error: { code: -32_600, message: expect.stringContaining('several clients') as string },
  });
  await release();
  expect(await askedBy(one, 'roots/list')).toMatchObject({ result: ROOTS });
});

test("a server's request reaches the client if all running calls are from this client", async () => {
  const client = await withRoots();
  const release = await holdCall(client, 'same');
  expect(await askedBy(client, 'roots/list')).toMatchObject({ result: ROOTS });
  await release();
});

test("a server's request during a call over HTTP is rejected and does not reach any other client", async () => {
  const client = await withRoots();
  const ask = (body: object): Promise<Response> =>
    fetch(new URL('/api/v1/servers/echo/tools/ask', managed.origin), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
  expect(await (await ask({ method: 'roots/list' })).text()).toContain('does not support roots/list');
  const release = await holdCall(client, 'rest');
  expect(await (await ask({ method: 'roots/list' })).text()).toContain('several clients');
  await release();
});

test('a client of revision 2026-07-28 receives no requests that it does not support', async () => {
  const answer = await sendStateless(managed.origin, 'tools/call', {
    params: { name: 'echo__ask', arguments: { method: 'roots/list' } },
  });
  expect(await answer.text()).toContain('does not support roots/list');
});

test('the server gets an error if the client closes its session during a request', async () => {
  const client = await managed.connect('/mcp', {}, { roots: {} });
  const asked = Promise.withResolvers<void>();
  client.setRequestHandler(ListRootsRequestSchema, () => {
    asked.resolve();
    return new Promise<never>(() => {});
  });
  client.callTool({ name: 'echo__ask', arguments: { method: 'roots/list' } }).catch(() => undefined);
  await asked.promise;
  await managed.endSession(client);
  const other = await withRoots();
  expect(await askedBy(other, 'roots/list')).toMatchObject({ result: ROOTS });
});

test('input required by a server of revision 2026-07-28 is requested from its client', async () => {
  const client = await managed.connect('/mcp/modern', {}, { elicitation: {} });
  const questions: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    questions.push(params['message']);
    return { action: 'accept', content: { name: 'Ada' } };
  });
  const call = { method: 'tools/call', params: { name: 'ask-user', arguments: {} } };
  const answer = await client.request(call, ResultSchema);
  expect(JSON.stringify(answer['content'])).toContain('Ada');
  expect(questions).toEqual(['Your name?']);
  const unable = await managed.connect('/mcp/modern');
  await expect(unable.request(call, ResultSchema)).rejects.toMatchObject({ code: -32_021 });
});

test("a remote server's request is sent on the stream of its call, whichever other client is calling", async () => {
  const remote = await startRemote('remote.mjs');
  const spec = { ...serverSpec('far', 'echo'), launch: remoteLaunch(`${remote.url}/mcp`) };
  const other = await openManager({ servers: [spec] });
  await other.running('far');
  const clients = await Promise.all(
    ['ada', 'bob'].map(async (name) => {
      const client = await other.connect('/mcp/far', {}, { roots: {} });
      const both = { roots: [{ uri: `file:///home/${name}` }] };
      client.setRequestHandler(ListRootsRequestSchema, () => both);
      return { client, both };
    }),
  );
  const [ada] = clients;
  const held = ada?.client.callTool({ name: 'hold', arguments: { key: 'far' } });
  await remote.logged(/^holding far/);
  for (const { client, both } of clients) {
    expect(await askedBy(client, 'roots/list', 'ask')).toMatchObject({ result: both });
  }
  await ada?.client.callTool({ name: 'release', arguments: { key: 'far' } });
  await held;
  await other.close();
});

test('a request to open a URL reaches clients that support it, if the URL is safe', async () => {
  const client = await managed.connect('/mcp', {}, { elicitation: { url: {} } });
  const opened: unknown[] = [];
  client.setRequestHandler(ElicitRequestSchema, ({ params }) => {
    opened.push(params);
    return { action: 'accept' };
  });
  const ask = async (from: Client, params: object): Promise<unknown> => {
    const { content } = await from.callTool({
      name: 'echo__ask',
      arguments: { method: 'elicitation/create', params },
    });
    return JSON.parse((content as { text: string }[])[0]?.text ?? '') as unknown;
  };
  const url = { mode: 'url', message: 'Sign in.', url: 'https://example.com/', elicitationId: 'e1' };
  expect(await ask(client, url)).toMatchObject({ result: { action: 'accept' } });
  expect(opened).toEqual([url]);
  expect(await ask(client, { ...url, url: 'javascript:alert(1)' })).toMatchObject({
    error: { code: -32_602 },
  });
  const forms = await managed.connect('/mcp', {}, { elicitation: { form: {} } });
  expect(await ask(forms, url)).toMatchObject({ error: { code: -32_601 } });
  expect(opened).toHaveLength(1);
});
