import { expect, test } from 'vitest';
import { type Requester, RpcFailure } from '#manager/upstream/connection.ts';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import type { RpcMessage } from '#manager/upstream/rpc-message.ts';
import { createRpcPeer, type RpcPeer } from '#manager/upstream/rpc-peer.ts';

interface Opened {
  readonly rpc: RpcPeer;
  /** Responses to the server. */
  readonly responses: RpcMessage[];
  /** Notifications that are not about URLs. */
  readonly others: string[];
}

function open(): Opened {
  const responses: RpcMessage[] = [];
  const others: string[] = [];
  const rpc = createRpcPeer({
    send: (message) => void (message.method === undefined && responses.push(message)),
    cancel: () => undefined,
    onNotification: (method) => void others.push(method),
  });
  return { rpc, responses, others };
}

function client(): { readonly requester: Requester; readonly notified: unknown[] } {
  const notified: unknown[] = [];
  const requester = {
    identity: {},
    capabilities: { elicitation: { url: {} } },
    request: () => Promise.resolve({ action: 'accept' }),
    notify: (method: string, params: ShapeOfParams) => void notified.push([method, params]),
  };
  return { requester, notified };
}

const COMPLETE = 'notifications/elicitation/complete';
const request = (rpc: RpcPeer, { requester }: { readonly requester: Requester }): Promise<ShapeOfParams> =>
  rpc.request('tools/call', { name: 'x' }, { timeoutMs: 60_000, requester });
const ask = (url: string, elicitationId = 'e1'): RpcMessage => ({
  jsonrpc: '2.0',
  id: 'q',
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Sign in.', url, elicitationId },
});
const complete = (elicitationId: string): RpcMessage => ({
  jsonrpc: '2.0',
  method: COMPLETE,
  params: { elicitationId },
});
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('the completion of a URL only reaches the client that was asked to open it, once', async () => {
  const { rpc, responses, others } = open();
  const [one, two] = [client(), client()];
  for (const each of [one, two]) request(rpc, each).catch(() => undefined);
  rpc.receive(ask('https://example.com/sign-in'), 2);
  await settled();
  expect(responses).toMatchObject([{ result: { action: 'accept' } }]);
  for (const id of ['unknown', 'e1', 'e1']) rpc.receive(complete(id));
  expect(one.notified).toEqual([]);
  expect(two.notified).toEqual([[COMPLETE, { elicitationId: 'e1' }]]);
  expect(others).toEqual([]);
  rpc.end('over');
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'vscode://open',
  '/relative',
  '',
])('%j is not passed on as a URL to open', async (url) => {
  const { rpc, responses } = open();
  const one = client();
  request(rpc, one).catch(() => undefined);
  rpc.receive(ask(url), 1);
  await settled();
  expect(responses).toMatchObject([
    { error: { code: -32_602, message: '`url` must be an http:// or https:// URL.' } },
  ]);
  rpc.receive(complete('e1'));
  expect(one.notified).toEqual([]);
  rpc.end('over');
});

test('the error of a call that requires URLs only contains safe URLs, whose completion reaches its client', async () => {
  const { rpc } = open();
  const one = client();
  const failed = request(rpc, one);
  const safe = { mode: 'url', elicitationId: 'e2', url: 'https://example.com/', message: 'Connect.' };
  rpc.receive({
    jsonrpc: '2.0',
    id: 1,
    error: {
      code: -32_042,
      message: 'URL required.',
      data: {
        elicitations: [safe, { ...safe, elicitationId: 'e3', url: 'javascript:alert(1)' }, 7],
        other: 1,
      },
    },
  });
  await expect(failed).rejects.toEqual(
    new RpcFailure(-32_042, 'URL required.', { other: 1, elicitations: [safe] }),
  );
  rpc.receive(complete('e2'));
  rpc.receive(complete('e3'));
  expect(one.notified).toEqual([[COMPLETE, { elicitationId: 'e2' }]]);
});

test('only the latest 1,000 URLs of a connection are remembered', async () => {
  const { rpc } = open();
  const one = client();
  const failed = request(rpc, one);
  const elicitations = Array.from({ length: 1001 }, (_, at) => ({
    mode: 'url',
    elicitationId: `e${at}`,
    url: 'https://example.com/',
    message: '',
  }));
  rpc.receive({ jsonrpc: '2.0', id: 1, error: { code: -32_042, message: 'x', data: { elicitations } } });
  await expect(failed).rejects.toThrow('x');
  rpc.receive(complete('e0'));
  rpc.receive(complete('e1000'));
  expect(one.notified).toEqual([[COMPLETE, { elicitationId: 'e1000' }]]);
});
