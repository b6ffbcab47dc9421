import { expect, test } from 'vitest';
import type { Requester } from '#manager/upstream/connection.ts';
import type { ShapeOfParams } from '#manager/shapes/shape.ts';
import { createRpcPeer, type RpcPeer } from '#manager/upstream/rpc-peer.ts';
import type { RpcMessage } from '#manager/upstream/rpc-message.ts';

interface Opened {
  readonly rpc: RpcPeer;
  /** The next message to the server that is not a request. */
  readonly told: () => Promise<RpcMessage>;
}

function open(): Opened {
  const messages: RpcMessage[] = [];
  let arrived = (): void => {};
  const rpc = createRpcPeer({
    send(message) {
      if (message.method !== undefined) return;
      messages.push(message);
      arrived();
    },
    cancel: () => undefined,
    onNotification: () => undefined,
  });
  return {
    rpc,
    async told() {
      while (messages.length === 0) await new Promise<void>((resolve) => (arrived = resolve));
      return messages.shift() as RpcMessage;
    },
  };
}

const requester = (capabilities: ShapeOfParams, request: Requester['request']): Requester => ({
  identity: {},
  capabilities,
  request,
});
const saying = (answer: string, capabilities: ShapeOfParams = { roots: {} }): Requester =>
  requester(capabilities, () => Promise.resolve({ answer }));
const question = (method: string, params?: ShapeOfParams): RpcMessage => ({
  jsonrpc: '2.0',
  id: 'q',
  method,
  params,
});
const call = (rpc: RpcPeer, who: Requester | undefined, timeoutMs = 60_000): Promise<ShapeOfParams> =>
  rpc.request('tools/call', { name: 'x' }, { timeoutMs, requester: who });

test("a server's request reaches the client of its call, whichever other clients are calling", async () => {
  const { rpc, told } = open();
  for (const name of ['one', 'two', 'three']) call(rpc, saying(name)).catch(() => undefined);
  rpc.receive(question('roots/list'), 2);
  expect(await told()).toEqual({ jsonrpc: '2.0', id: 'q', result: { answer: 'two' } });
  rpc.end('over');
});

test("a server's request outside a call is rejected", async () => {
  const { rpc, told } = open();
  call(rpc, undefined).catch(() => undefined);
  rpc.receive(question('roots/list'));
  expect(await told()).toMatchObject({
    error: { code: -32_601, message: expect.stringContaining('no call') as string },
  });
  rpc.end('over');
});

test.each<[string, ShapeOfParams, ShapeOfParams | undefined, boolean]>([
  ['elicitation/create', { elicitation: {} }, { message: 'form' }, true],
  ['elicitation/create', { elicitation: { form: {} } }, { mode: 'form' }, true],
  ['elicitation/create', { elicitation: { url: {} } }, { mode: 'form' }, false],
  ['elicitation/create', { elicitation: {} }, { mode: 'url', url: 'https://example.com' }, false],
  ['elicitation/create', { elicitation: { url: {} } }, { mode: 'url', url: 'https://example.com' }, true],
  ['sampling/createMessage', { sampling: {} }, { messages: [] }, true],
  ['sampling/createMessage', { sampling: {} }, { tools: [] }, false],
  ['sampling/createMessage', { sampling: { tools: {} } }, { tools: [] }, true],
  ['sampling/createMessage', {}, undefined, false],
  ['roots/list', { roots: { listChanged: true } }, undefined, true],
  ['toString', { roots: {} }, undefined, false],
])(
  '%s for a client with the capabilities %j and the parameters %j is passed on: %s',
  async (method, capabilities, params, passed) => {
    const { rpc, told } = open();
    call(rpc, saying('yes', capabilities)).catch(() => undefined);
    rpc.receive(question(method, params));
    expect(await told()).toMatchObject(passed ? { result: { answer: 'yes' } } : { error: { code: -32_601 } });
    rpc.end('over');
  },
);

test("the server's own progress token is not passed on", async () => {
  const { rpc, told } = open();
  const echo = requester({ roots: {} }, (_method, params) => Promise.resolve({ ...params }));
  call(rpc, echo).catch(() => undefined);
  rpc.receive(question('roots/list', { _meta: { progressToken: 5, trace: 'a' } }));
  expect(await told()).toMatchObject({ result: { _meta: { trace: 'a' } } });
  rpc.end('over');
});

test("a call's timeout is suspended while it waits for its client, and restarts in full afterwards", async () => {
  const { rpc, told } = open();
  const answer = Promise.withResolvers<ShapeOfParams>();
  const calling = call(
    rpc,
    requester({ roots: {} }, () => answer.promise),
    20,
  );
  let ended = false;
  calling.catch(() => (ended = true));
  rpc.receive(question('roots/list'));
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(ended).toBe(false);
  answer.resolve({ done: true });
  expect(await told()).toMatchObject({ result: { done: true } });
  await expect(calling).rejects.toThrow('within 20 ms');
});

test.each(['the server cancels', 'the connection ends'])('the client is notified when %s', async (why) => {
  const { rpc } = open();
  const signals: AbortSignal[] = [];
  const hanging = requester({ roots: {} }, (_method, _params, signal) => {
    signals.push(signal);
    return new Promise<never>(() => {});
  });
  call(rpc, hanging).catch(() => undefined);
  rpc.receive(question('roots/list'));
  await new Promise(setImmediate);
  if (why === 'the connection ends') rpc.end('over');
  else rpc.receive({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'q' } });
  expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  rpc.end('over');
});
