import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRpcPeer, type RpcPeer } from '#manager/upstream/rpc-peer.ts';
import type { Requester, RequestOptions } from '#manager/upstream/connection.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A peer whose server never responds, with the outcomes of its requests in order. */
function silentPeer(): {
  readonly peer: RpcPeer;
  readonly canceled: number[];
  readonly ended: string[];
  readonly request: (name: string, options: RequestOptions) => void;
} {
  const canceled: number[] = [];
  const ended: string[] = [];
  const peer = createRpcPeer({
    send: () => undefined,
    cancel: (id) => void canceled.push(id),
    onNotification: () => undefined,
  });
  const request = (name: string, options: RequestOptions): void => {
    peer.request(name, {}, options).then(
      () => ended.push(`${name} ok`),
      (error: Error) => ended.push(`${name}: ${error.message}`),
    );
  };
  return { peer, canceled, ended, request };
}

const late = (name: string, ms: number): string =>
  `${name}: The server did not respond to ${name} within ${ms} ms.`;

test('each request times out after its own timeout, in any order', async () => {
  const { canceled, ended, request } = silentPeer();
  request('slow', { timeoutMs: 500 });
  request('fast', { timeoutMs: 100 });
  request('never', { timeoutMs: Infinity });
  await vi.advanceTimersByTimeAsync(99);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(ended).toEqual([late('fast', 100)]);
  request('later', { timeoutMs: 100 });
  await vi.advanceTimersByTimeAsync(101);
  expect(ended).toEqual([late('fast', 100), late('later', 100)]);
  await vi.advanceTimersByTimeAsync(400);
  expect(ended).toEqual([late('fast', 100), late('later', 100), late('slow', 500)]);
  await vi.advanceTimersByTimeAsync(1_000_000);
  expect(ended).toHaveLength(3);
  expect(canceled).toEqual([2, 4, 1]);
});

test('a response in time prevents the timeout, also for requests after an idle period', async () => {
  const { peer, canceled, ended, request } = silentPeer();
  request('first', { timeoutMs: 100 });
  peer.receive({ jsonrpc: '2.0', id: 1, result: {} });
  await vi.advanceTimersByTimeAsync(1000);
  request('second', { timeoutMs: 100 });
  await vi.advanceTimersByTimeAsync(50);
  expect(ended).toEqual(['first ok']);
  await vi.advanceTimersByTimeAsync(51);
  expect(ended).toEqual(['first ok', late('second', 100)]);
  expect(canceled).toEqual([2]);
});

test('progress restarts the timeout, and an extension postpones it once', async () => {
  const { peer, ended, request } = silentPeer();
  request('progress', { timeoutMs: 100, onProgress: () => undefined });
  const extensions = [200, 0];
  request('extended', { timeoutMs: 100, extend: () => extensions.shift() ?? 0 });
  await vi.advanceTimersByTimeAsync(90);
  peer.receive({ jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken: 1 } });
  await vi.advanceTimersByTimeAsync(90);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(11);
  expect(ended).toEqual([late('progress', 100)]);
  await vi.advanceTimersByTimeAsync(120);
  expect(ended).toEqual([late('progress', 100), late('extended', 100)]);
});

test('a request does not time out while the server waits for its client', async () => {
  const { peer, ended, request } = silentPeer();
  const answered = Promise.withResolvers<Record<string, unknown>>();
  const requester: Requester = {
    identity: {},
    capabilities: { roots: {} },
    request: () => answered.promise,
  };
  request('asking', { timeoutMs: 100, requester });
  peer.receive({ jsonrpc: '2.0', id: 'question', method: 'roots/list', params: {} });
  await vi.advanceTimersByTimeAsync(10_000);
  expect(ended).toEqual([]);
  answered.resolve({ roots: [] });
  await vi.advanceTimersByTimeAsync(99);
  expect(ended).toEqual([]);
  await vi.advanceTimersByTimeAsync(2);
  expect(ended).toEqual([late('asking', 100)]);
});

test('an abort cancels a request once, and a closed connection fails all requests', async () => {
  const { peer, canceled, ended, request } = silentPeer();
  const gone = new AbortController();
  request('aborted', { timeoutMs: 100, signal: gone.signal });
  request('open', { timeoutMs: 100 });
  gone.abort(new Error('left'));
  await vi.advanceTimersByTimeAsync(0);
  peer.end('The connection was closed.');
  await vi.advanceTimersByTimeAsync(1000);
  expect(ended).toEqual(['aborted: left', 'open: The connection was closed.']);
  expect(canceled).toEqual([1]);
  expect(vi.getTimerCount()).toBe(0);
});
