import { expect, test } from 'vitest';
import { createRpcPeer } from '#manager/upstream/rpc-peer.ts';
import { createStartExtension } from '#manager/upstream/start-extension.ts';

test('the startup timeout is extended by the time the server waited for a CPU, up to four times its length', () => {
  const waits = [20_000, 33_000, 33_100, 500_000, 900_000];
  const { extend, extendedMs } = createStartExtension(7, 30_000, () => waits.shift() ?? 0);
  expect([extend(), extend(), extend(), extend(), extend()]).toEqual([20_000, 13_000, 0, 57_000, 0]);
  expect(extendedMs()).toBe(90_000);
});

test('servers that hang and remote servers get no extension of the startup timeout', () => {
  expect(createStartExtension(7, 30_000, () => 40).extend()).toBe(0);
  expect(createStartExtension(undefined, 30_000, () => 40_000).extend()).toBe(0);
  // This process also waits for CPUs, but not for a significant part of a year.
  expect(createStartExtension(process.pid, 3_600_000 * 24 * 365).extend()).toBe(0);
});

test('a request runs as long as its extension allows and then fails', async () => {
  const peer = createRpcPeer({
    send: () => undefined,
    cancel: () => undefined,
    onNotification: () => undefined,
  });
  const extensions = [5, 5, 0];
  const request = peer.request('initialize', undefined, {
    timeoutMs: 5,
    extend: () => extensions.shift() ?? 0,
  });
  await expect(request).rejects.toThrow('The server did not respond to initialize within 5 ms.');
  expect(extensions).toEqual([]);
});
