import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createBaseAddress, createReturnBase } from '../../../../../runtime/targets/manager/http/base-address.ts';

async function addressOf(
  url: string,
  headers: Record<string, string>,
  peer: string | undefined,
  trustProxy = false,
): Promise<string> {
  const baseAddress = createBaseAddress({ trustProxy });
  const app = new Hono().all('*', (c) => c.text(baseAddress(c)));
  const env = peer === undefined ? {} : { incoming: { socket: { remoteAddress: peer } } };
  return (await app.request(url, { headers }, env)).text();
}

const FORWARDED = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'tools.example' };

test.each(['http://localhost:8090', 'https://localhost', 'http://192.168.0.2:8090', 'https://[::1]:8090'])(
  '%s is what it is',
  async (origin) => {
    expect(await addressOf(`${origin}/a/b?c`, {}, '127.0.0.1')).toBe(origin);
  },
);

test('a proxy is believed with trustProxy', async () => {
  expect(await addressOf('http://localhost:8090/', FORWARDED, '127.0.0.1', true)).toBe('https://tools.example');
  const chain = { 'X-Forwarded-Proto': 'https, http', 'X-Forwarded-Host': 'a.example:8443, b.example' };
  expect(await addressOf('http://localhost:8090/', chain, '127.0.0.1', true)).toBe('https://a.example:8443');
});

test.each(['127.0.0.1', '::1', '10.0.0.1', undefined])('a client (%s) is not believed without it', async (peer) => {
  expect(await addressOf('http://tools.local:8090/', FORWARDED, peer)).toBe('http://tools.local:8090');
  expect(await addressOf('http://tools.local:8090/', FORWARDED, peer, true)).toBe('https://tools.example');
});

test.each([
  { 'X-Forwarded-Host': 'evil.example/path' },
  { 'X-Forwarded-Host': 'a b' },
  { 'X-Forwarded-Host': 'user@evil.example' },
  { 'X-Forwarded-Host': '' },
  { 'X-Forwarded-Proto': 'javascript' },
])('an invalid address is ignored: %j', async (headers) => {
  expect(await addressOf('http://localhost:8090/', headers, '127.0.0.1', true)).toBe('http://localhost:8090');
});

test.each([
  ['http://attacker.example', {}, undefined],
  ['http://6.6.6.6:8090', {}, undefined],
  ['http://localhost:8090', {}, 'http://localhost:8090'],
  ['http://localhost:8090', { 'X-Forwarded-Host': 'attacker.example' }, 'http://localhost:8090'],
  ['http://tools.example:8090', {}, 'http://tools.example:8090'],
  ['http://192.168.0.2:8090', {}, 'http://192.168.0.2:8090'],
])('a code returns from %s with %j to %s', async (url, headers, expected) => {
  const hostRules = { hostname: '192.168.0.2', allowedHosts: ['tools.example'] };
  const returnBase = createReturnBase({ publicUrl: undefined, hostRules });
  const app = new Hono().all('*', (c) => c.json(returnBase(c) ?? null));
  expect(await (await app.request(url, { headers })).json()).toBe(expected ?? null);
});

test('a code returns to the configured URL, whatever the request says', async () => {
  const hostRules = { hostname: '0.0.0.0' };
  const returnBase = createReturnBase({ publicUrl: 'https://tools.example/', trustProxy: true, hostRules });
  const app = new Hono().all('*', (c) => c.json(returnBase(c) ?? null));
  const answer = await app.request('http://a.example', { headers: { 'X-Forwarded-Host': 'attacker.example' } });
  expect(await answer.json()).toBe('https://tools.example');
});
