import { expect, test } from 'vitest';
import { createHostCheck, type HostRules } from '#serve/http/request-head.ts';

const allowed = (rules: HostRules, host: string | undefined, origin?: string): boolean => {
  const headers = new Headers();
  if (host !== undefined) headers.set('host', host);
  if (origin !== undefined) headers.set('origin', origin);
  return createHostCheck(rules)(new Request('http://localhost/mcp', { headers })) === undefined;
};

const LOOPBACK = { hostname: '127.0.0.1' };
const EVERYWHERE = { hostname: '0.0.0.0' };

test.each([
  '127.0.0.1',
  'localhost',
  '::1',
  '[::1]',
  '127.8.9.1',
  'LOCALHOST',
  '127.1',
  '0:0:0:0:0:0:0:1',
  '::ffff:127.0.0.1',
])('a server bound to %s accepts only loopback names and addresses', (hostname) => {
  const good = [
    'localhost',
    'localhost:8080',
    'LocalHost:1',
    '127.0.0.1:8080',
    '127.1.2.3',
    '[::1]:8080',
    '10.0.0.1',
  ];
  for (const host of [...good, 'model.localhost:80']) expect(allowed({ hostname }, host), host).toBe(true);
  const bad = ['evil.example', 'localhost.evil.example', '127.0.0.1.evil.example', 'xlocalhost'];
  for (const host of bad) expect(allowed({ hostname }, host), host).toBe(false);
});

test.each(['', 'a b', 'localhost@evil.example', 'evil.example#localhost', 'localhost/x', 'a:b:c', '[::1'])(
  'the Host header %j is invalid',
  (host) => {
    expect(allowed(EVERYWHERE, host)).toBe(false);
  },
);

test('without a Host header, as over HTTP/2, the host comes from the URL', () => {
  expect(allowed(LOOPBACK, undefined)).toBe(true);
});

test('on a server bound to a non-loopback address, host names must also be allowed', () => {
  expect(allowed(EVERYWHERE, 'models.example:8080')).toBe(false);
  const rules = { ...EVERYWHERE, allowedHosts: ['models.example', 'Other.Example'] };
  for (const host of ['models.example', 'MODELS.example:8080', 'other.example', 'localhost']) {
    expect(allowed(rules, host), host).toBe(true);
  }
  expect(allowed(rules, 'evil.example')).toBe(false);
  expect(allowed(rules, '10.0.0.1')).toBe(true);
  expect(allowed({ ...LOOPBACK, allowedHosts: ['models.example'] }, 'models.example')).toBe(true);
});

test('web pages of the same host are allowed, if DNS rebinding is impossible for that host', () => {
  expect(allowed(LOOPBACK, 'localhost:8080', 'http://localhost:8080')).toBe(true);
  expect(allowed(LOOPBACK, 'localhost:8080', 'https://localhost:8080')).toBe(true);
  for (const origin of ['http://localhost:6274', 'http://127.0.0.1:8080', 'http://localhost'])
    expect(allowed(LOOPBACK, 'localhost:8080', origin), origin).toBe(false);
  expect(allowed(EVERYWHERE, '10.0.0.1:8080', 'http://10.0.0.1:8080')).toBe(true);
  expect(allowed(EVERYWHERE, '[fe80::1]:8080', 'http://[fe80::1]:8080')).toBe(true);
  expect(allowed(EVERYWHERE, 'evil.example:8080', 'http://evil.example:8080')).toBe(false);
  const named = { ...EVERYWHERE, allowedHosts: ['models.example'] };
  expect(allowed(named, 'models.example', 'https://models.example')).toBe(true);
  expect(allowed(named, 'models.example:443', 'https://models.example')).toBe(true);
  expect(allowed(named, 'models.example', 'https://models.example:8443')).toBe(false);
});

test('web pages of other hosts are rejected, unless their origin is allowed', () => {
  for (const rules of [LOOPBACK, EVERYWHERE]) {
    for (const origin of ['http://evil.example', 'null', 'http://localhost.evil.example', 'file://', '']) {
      expect(allowed(rules, 'localhost:8080', origin), origin).toBe(false);
    }
    const some = { ...rules, allowedOrigins: ['https://app.example/', 'null'] };
    expect(allowed(some, 'localhost', 'https://app.example')).toBe(true);
    expect(allowed(some, 'localhost', 'null')).toBe(true);
    expect(allowed(some, 'localhost', 'http://app.example')).toBe(false);
    expect(allowed(some, 'localhost', 'https://app.example:8443')).toBe(false);
    expect(allowed({ ...rules, allowedOrigins: ['*'] }, 'localhost', 'https://any.example')).toBe(true);
  }
});

test('the host name that the server is bound to is allowed', () => {
  expect(allowed({ hostname: 'Models.internal' }, 'models.internal:80')).toBe(true);
  for (const hostname of ['0.0.0.0', '[::]', '127.0.0.1', 'models.internal'])
    expect(allowed({ hostname }, 'evil.example'), hostname).toBe(false);
});

test('a server with an API key accepts any host name', () => {
  let hasKey = false;
  const check = createHostCheck({ ...EVERYWHERE, anyName: () => hasKey });
  const statusOf = (headers: Record<string, string>): boolean =>
    check({ url: '', headers: new Headers(headers) }) === undefined;
  const page = { host: 'models.example', origin: 'https://models.example' };
  expect([statusOf({ host: 'models.example' }), statusOf(page)]).toEqual([false, false]);
  hasKey = true;
  expect([statusOf({ host: 'models.example' }), statusOf(page)]).toEqual([true, true]);
  expect(statusOf({ host: 'models.example', origin: 'https://evil.example' })).toBe(false);
});
