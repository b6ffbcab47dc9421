import { createLocalJWKSet, decodeProtectedHeader, jwtVerify } from 'jose';
import { expect, test } from 'vitest';
import { createUserTokens, type UserTokens } from '#gateway/requests/tools/user-tokens.ts';

const SEED = new Uint8Array(32).fill(7);
const CLAIMS = { issuer: 'https://gateway.example', audience: 'https://manager.example/mcp/desk' };
const NOW = Date.parse('2026-01-01T00:00:00Z');

const tokensOf = (masterKey: string | undefined): UserTokens =>
  createUserTokens({ seed: () => Promise.resolve(SEED), masterKey, clock: { now: () => NOW } });
const keyIdOf = async (tokens: UserTokens): Promise<string | undefined> => (await tokens.keys()).keys[0]?.kid;

test('a token names one user, is for one server, and expires after a minute', async () => {
  const tokens = tokensOf('the-master-key');
  const { token, renewAt } = await tokens.sign('ada', CLAIMS);
  const { keys } = await tokens.keys();
  const { payload, protectedHeader } = await jwtVerify(token, createLocalJWKSet({ keys: [...keys] }), {
    ...CLAIMS,
    currentDate: new Date(NOW),
  });
  expect(payload).toMatchObject({ sub: 'ada', iat: NOW / 1000, exp: NOW / 1000 + 60 });
  expect(protectedHeader).toEqual({ alg: 'ES256', typ: 'JWT', kid: keys[0]?.kid });
  expect(renewAt).toBe(NOW + 30_000);
  const other = await tokens.sign('ada', CLAIMS);
  expect(other.token).not.toBe(token);
});

test('the public key contains nothing private, and gateways with the same database and master key share it', async () => {
  const { keys } = await tokensOf('the-master-key').keys();
  expect(keys.map((key) => Object.keys(key).toSorted((one, two) => one.localeCompare(two)))).toEqual([
    ['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'],
  ]);
  expect(await keyIdOf(tokensOf('the-master-key'))).toBe(keys[0]?.kid);
  expect(await keyIdOf(tokensOf('another-master-key'))).not.toBe(keys[0]?.kid);
  const { token } = await tokensOf(undefined).sign('ada', CLAIMS);
  expect(decodeProtectedHeader(token).kid).not.toBe(keys[0]?.kid);
});

test('a seed that cannot be read is read again', async () => {
  let reads = 0;
  const tokens = createUserTokens({
    seed: () => ((reads += 1) === 1 ? Promise.reject(new Error('unavailable')) : Promise.resolve(SEED)),
    masterKey: undefined,
    clock: { now: () => NOW },
  });
  await expect(tokens.keys()).rejects.toThrow('unavailable');
  expect((await tokens.keys()).keys).toHaveLength(1);
});
