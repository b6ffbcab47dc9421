import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { sendStateless } from './stateless-request.ts';
import { eventsOf } from './events.ts';
import { type Managed, openManager } from './managed.ts';

let managed: Managed;
beforeAll(async () => {
  managed = await openManager({
    servers: [serverSpec('echo', 'echo'), serverSpec('suite', 'conformance')],
  });
  await Promise.all([managed.running('echo'), managed.running('suite')]);
});
afterAll(() => managed.close());

test('subscriptions/listen sends the requested notifications under its ID', async () => {
  const leave = new AbortController();
  const uri = 'test://watched-resource';
  const stream = await sendStateless(managed.origin, 'subscriptions/listen', {
    params: { notifications: { toolsListChanged: true, resourceSubscriptions: [uri, 'nope://x'] } },
    signal: leave.signal,
  });
  const events = eventsOf(stream);
  const first = await events.next();
  await managed.server('echo').restart();
  const second = await events.next();
  const _meta = { 'io.modelcontextprotocol/subscriptionId': 7 };
  expect(first.value).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/subscriptions/acknowledged',
    params: { notifications: { toolsListChanged: true, resourceSubscriptions: [uri] }, _meta },
  });
  expect(second.value).toEqual({
    jsonrpc: '2.0',
    method: 'notifications/tools/list_changed',
    params: { _meta },
  });
  leave.abort();
});

test('a subscription stream ends with a result when the manager stops', async () => {
  const other = await openManager({ servers: [serverSpec('echo', 'echo')] });
  await other.running('echo');
  const stream = await sendStateless(other.origin, 'subscriptions/listen', {
    params: { notifications: { promptsListChanged: true } },
  });
  const events = eventsOf(stream);
  await events.next();
  await other.close();
  expect((await events.next()).value).toMatchObject({ id: 7, result: { resultType: 'complete' } });
  expect((await events.next()).done).toBe(true);
});
