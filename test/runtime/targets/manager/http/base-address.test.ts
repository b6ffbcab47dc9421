import { Hono } from 'hono';
import { expect, test } from 'vitest';
import { createBaseAddress } from '../../../../../runtime/targets/manager/http/base-address.ts';

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

test.each(['127.0.0.1', '::1', '::ffff:127.0.0.1'])(
  'a proxy of this machine (%s) is believed',
  async (peer) => {
    expect(await addressOf('http://localhost:8090/', FORWARDED, peer)).toBe('https://tools.example');
    const chain = { 'X-Forwarded-Proto': 'https, http', 'X-Forwarded-Host': 'a.example:8443, b.example' };
    expect(await addressOf('http://localhost:8090/', chain, peer)).toBe('https://a.example:8443');
  },
);

test.each(['10.0.0.1', '::2', undefined])('another machine (%s) is not, unless configured', async (peer) => {
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
  expect(await addressOf('http://localhost:8090/', headers, '127.0.0.1')).toBe('http://localhost:8090');
});
