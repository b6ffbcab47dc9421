import { expect, onTestFinished, test } from 'vitest';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { bearer, keyOf } from '../../access/key-of.ts';
import { serverSpec } from '../../server-spec.ts';
import { startRemote, remoteLaunch } from '../../upstream/remote-fixture.ts';
import { eventsOf } from '../events.ts';
import { type Managed, openManager } from '../managed.ts';
import { sendStateless } from '../stateless-request.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const DECLARED = {
  'io.modelcontextprotocol/clientCapabilities': { elicitation: {}, extensions: { [EXTENSION]: {} } },
};
const NOTIFY = { NOTIFY: '1' };

type Way = 'stdio' | 'http';

async function open(
  way: Way,
  env: Record<string, string> = NOTIFY,
  keys: () => readonly KeyRecord[] = () => [
    keyOf('ada'),
    keyOf('bob'),
    keyOf('narrow', { tools: ['new/plain'] }),
  ],
): Promise<Managed & { readonly said: (pattern: RegExp) => Promise<string> }> {
  const remote = way === 'http' ? await startRemote('tasks.mjs', { HTTP: '1', ...env }) : undefined;
  const spec = serverSpec('new', 'tasks', { env: { MODERN: '1', ...env } });
  const managed = await openManager({
    keys,
    resultLimit: 100_000,
    servers: [remote ? { ...spec, launch: remoteLaunch(remote.url) } : spec],
  });
  onTestFinished(() => managed.close());
  await managed.running('new');
  return { ...managed, said: (pattern) => remote?.logged(pattern) ?? managed.nextLogLine('new', pattern) };
}

interface Response {
  readonly result: Record<string, unknown> & { readonly taskId: string };
}

/** A client of one endpoint. */
function clientOf(managed: Managed, key: string, server?: string) {
  const path = server === undefined ? '/mcp' : `/mcp/${server}`;
  const headers = { authorization: bearer(key) };
  const toolName = (name: string): string => (server === undefined ? `new__${name}` : name);
  const call = async (name: string, args: object = {}): Promise<Response['result']> => {
    const params = { name: toolName(name), arguments: args };
    const response = await sendStateless(managed.origin, 'tools/call', {
      path,
      params,
      headers,
      meta: DECLARED,
    });
    return ((await response.json()) as Response).result;
  };
  return {
    call,
    async request(method: string, params: Record<string, unknown>): Promise<Record<string, unknown>> {
      const response = await sendStateless(managed.origin, method, { path, params, headers, meta: DECLARED });
      return (await response.json()) as Record<string, unknown>;
    },
    async listen(taskIds: unknown, meta: Record<string, unknown> = DECLARED) {
      const leave = new AbortController();
      onTestFinished(() => leave.abort());
      const params = { notifications: { taskIds } };
      const { signal } = leave;
      const stream = await sendStateless(managed.origin, 'subscriptions/listen', {
        path,
        params,
        headers,
        meta,
        signal,
      });
      const events = eventsOf(stream);
      const next = async (): Promise<Record<string, unknown>> => (await events.next()).value ?? {};
      return { next, leave: () => leave.abort() };
    },
  };
}

const _meta = { 'io.modelcontextprotocol/subscriptionId': 7 };
const acknowledged = (taskIds: readonly string[]): object => ({
  jsonrpc: '2.0',
  method: 'notifications/subscriptions/acknowledged',
  params: { notifications: taskIds.length > 0 ? { taskIds } : {}, _meta },
});

test.each<[Way, string | undefined]>([
  ['stdio', undefined],
  ['stdio', 'new'],
  ['http', undefined],
  ['http', 'new'],
])('a client receives each change of its task, over %s from the path of %s', async (way, server) => {
  const managed = await open(way);
  const client = clientOf(managed, 'ada', server);
  const { taskId } = await client.call('work', { key: 'one' });
  const { next } = await client.listen([taskId]);
  expect(await next()).toEqual(acknowledged([taskId]));
  await client.call('progress', { key: 'one', message: 'half' });
  const changed = await next();
  expect(changed).toMatchObject({
    method: 'notifications/tasks',
    params: { taskId, status: 'working', statusMessage: 'half', ttlMs: 60_000, _meta },
  });
  await client.call('finish', { key: 'one' });
  const finished = await next();
  expect(finished).toMatchObject({
    method: 'notifications/tasks',
    params: { taskId, status: 'completed', result: { structuredContent: { key: 'one' } }, _meta },
  });
  // A notification contains what `tasks/get` returns.
  const { result } = (await client.request('tasks/get', { taskId })) as unknown as Response;
  const { resultType: _type, _meta: _resultMeta, ...state } = result;
  const { _meta: _notificationMeta, ...sent } = finished['params'] as Record<string, unknown>;
  expect(sent).toEqual(state);
});

test.each<Way>(['stdio', 'http'])(
  'a task of another client is not distinguished from an unknown one, over %s',
  async (way) => {
    const managed = await open(way);
    const ada = clientOf(managed, 'ada');
    const bob = clientOf(managed, 'bob');
    const { taskId } = await ada.call('work', { key: 'private' });
    const { taskId: own } = await bob.call('work', { key: 'own' });
    const others = [bob, clientOf(managed, 'ada', 'new'), clientOf(managed, 'narrow')];
    for (const other of others) {
      // The ID on the server, an unknown ID, and the ID of the task.
      const { next, leave } = await other.listen(['task-1', 'nothing', taskId]);
      expect(await next()).toEqual(acknowledged([]));
      leave();
    }
    const listening = await bob.listen([taskId, own, own]);
    expect(await listening.next()).toEqual(acknowledged([own]));
    await ada.call('finish', { key: 'private' });
    await bob.call('finish', { key: 'own' });
    // The first notification is about the own task.
    expect(await listening.next()).toMatchObject({ params: { taskId: own, status: 'completed' } });
  },
);

test('a client must declare the extension, and task IDs must be texts', async () => {
  const client = clientOf(await open('stdio'), 'ada');
  const undeclared = await client.listen(['x'], { 'io.modelcontextprotocol/clientCapabilities': {} });
  expect(await undeclared.next()).toMatchObject({
    id: 7,
    error: { code: -32_021, data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } } },
  });
  for (const ids of ['x', [5], { 0: 'x' }]) {
    const { next } = await client.listen(ids);
    expect(await next()).toMatchObject({
      error: { code: -32_602, message: '`notifications.taskIds` must be a list of task IDs.' },
    });
  }
});

test('a task that has finished before the subscription is sent immediately', async () => {
  const client = clientOf(await open('stdio'), 'ada');
  const { taskId } = await client.call('work', { key: 'early' });
  await client.call('finish', { key: 'early' });
  for (let round = 0; round < 2; round += 1) {
    const { next, leave } = await client.listen([taskId]);
    expect(await next()).toEqual(acknowledged([taskId]));
    expect(await next()).toMatchObject({ params: { taskId, status: 'completed' } });
    leave();
  }
});

test('a server that sends no notifications about tasks is not acknowledged', async () => {
  const client = clientOf(await open('stdio', {}), 'ada');
  const { taskId } = await client.call('work', { key: 'one' });
  const { next } = await client.listen([taskId]);
  expect(await next()).toEqual(acknowledged([]));
});

test.each<Way>(['stdio', 'http'])(
  'clients share one subscription on the server, which ends with the last one, over %s',
  async (way) => {
    const managed = await open(way);
    const client = clientOf(managed, 'ada');
    const { taskId } = await client.call('work', { key: 'shared' });
    const ended = managed.said(/^unsubscribed from task-1$/);
    const [one, other] = [await client.listen([taskId]), await client.listen([taskId])];
    await Promise.all([one.next(), other.next()]);
    one.leave();
    await client.call('progress', { key: 'shared', message: 'still' });
    expect(await other.next()).toMatchObject({ params: { statusMessage: 'still' } });
    other.leave();
    expect(await ended).toBe('unsubscribed from task-1');
  },
);

test('a subscription continues after the server has ended its stream', async () => {
  const managed = await open('stdio');
  const client = clientOf(managed, 'ada');
  const { taskId } = await client.call('work', { key: 'dropped' });
  const { next } = await client.listen([taskId]);
  await next();
  const again = managed.nextLogLine('new', /^subscribed to task-1$/);
  await client.call('drop');
  // This change is lost, but the state is requested after the next subscription.
  await client.call('finish', { key: 'dropped' });
  await again;
  expect(await next()).toMatchObject({ params: { taskId, status: 'completed' } });
});

test('a client that loses the permission for the tool receives no further states', async () => {
  let keys: readonly KeyRecord[] = [keyOf('ada'), keyOf('bob')];
  const managed = await open('stdio', NOTIFY, () => keys);
  const ada = clientOf(managed, 'ada');
  const { taskId } = await ada.call('work', { key: 'lost' });
  const { taskId: other } = await ada.call('ask', { key: 'other' });
  const { next } = await ada.listen([taskId, other]);
  expect(await next()).toEqual(acknowledged([taskId, other]));
  keys = [keyOf('ada', { tools: ['new/ask'] }), keyOf('bob')];
  const bob = clientOf(managed, 'bob');
  await bob.call('finish', { key: 'lost' });
  await bob.call('finish', { key: 'other' });
  expect(await next()).toMatchObject({ params: { taskId: other, status: 'completed' } });
});
