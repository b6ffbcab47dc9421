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
