import { expect, test } from 'vitest';
import { assertSafeToListen } from '#serve/program/listen-policy.ts';
import { exposureOf } from '#gateway/servers/exposure.ts';
import { read } from '../config/read.ts';

test.each([
  ['0.0.0.0', undefined],
  ['0.0.0.0', ''],
  ['', ''],
  ['', undefined],
])('a gateway at %j with the master key %j is not reachable from other machines', async (host, masterKey) => {
  const { server } = await read({});
  expect(() => assertSafeToListen(exposureOf({ server: { ...server, host }, masterKey }))).toThrow(
    /without a master key .* Set GATEWAY_MASTER_KEY to at least 16 characters/,
  );
});

test('a guessable master key is rejected if other machines can reach the gateway', async () => {
  const { server } = await read({});
  const listen =
    (host: string, masterKey: string, insecure = false) =>
    (): void =>
      assertSafeToListen(exposureOf({ server: { ...server, host, insecure }, masterKey }));
  expect(listen('0.0.0.0', 'short')).toThrow('requires a master key of at least 16 characters; it has 5');
  expect(listen('0.0.0.0', 'k'.repeat(16))).not.toThrow();
  expect(listen('127.0.0.1', 'short')).not.toThrow();
  expect(listen('0.0.0.0', 'short', true)).not.toThrow();
});
