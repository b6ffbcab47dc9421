import { expect, test } from 'vitest';
import { mayListen } from '../../../../../runtime/targets/gateway/servers/may-listen.ts';
import { read } from '../config/read.ts';

test.each([
  ['0.0.0.0', undefined],
  ['0.0.0.0', ''],
  ['', ''],
  ['', undefined],
])('nobody else reaches a gateway at %j with the master key %j', async (host, masterKey) => {
  const { server } = await read({});
  expect(() => mayListen({ server: { ...server, host }, masterKey })).toThrow(/needs a master key/);
});

test('a master key that can be found by trying is refused where others reach the gateway', async () => {
  const { server } = await read({});
  const listen =
    (host: string, masterKey: string, insecure = false) =>
    (): void =>
      mayListen({ server: { ...server, host, insecure }, masterKey });
  expect(listen('0.0.0.0', 'short')).toThrow(
    'The master key has 5 characters; listening on 0.0.0.0 needs at least 16.',
  );
  expect(listen('0.0.0.0', 'k'.repeat(16))).not.toThrow();
  expect(listen('127.0.0.1', 'short')).not.toThrow();
  expect(listen('0.0.0.0', 'short', true)).not.toThrow();
});
