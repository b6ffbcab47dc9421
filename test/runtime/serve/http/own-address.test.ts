import { expect, test } from 'vitest';
import {
  type AddressedRequest,
  createOwnAddress,
  type OwnAddressOptions,
  socketAddress,
} from '#serve/http/own-address.ts';

const RULES = { hostname: '192.168.0.2', allowedHosts: ['tools.example'] };
const FORWARDED = { 'X-Forwarded-Host': 'proxy.example', 'X-Forwarded-Proto': 'https' };

function addressOf(
  headers: Record<string, string>,
  options: Partial<OwnAddressOptions> = {},
  request: Partial<AddressedRequest> = {},
): string | undefined {
  const ownAddress = createOwnAddress({ hostRules: RULES, ...options });
  return ownAddress({ scheme: 'http', ...request, headers: new Headers(headers) });
}

test.each([
  'localhost:8090',
  'localhost',
  '127.0.0.1:8090',
  '[::1]:8090',
  'tools.example:8090',
  '192.168.0.2:8090',
])('a loopback name or a configured host is accepted: %s', (host) => {
  expect(addressOf({ host })).toBe(`http://${host}`);
  expect(addressOf({ host }, {}, { scheme: 'https' })).toBe(`https://${host}`);
});

test.each([
  'attacker.example',
  '6.6.6.6:8090',
  'localhost.attacker.example',
  'tools.example.attacker.example',
  'localhost@attacker.example',
  'localhost/../attacker',
  'localhost:1/attacker',
  'a b',
  '',
])('any other host is not accepted: %j', (host) => {
  expect(addressOf({ host })).toBeUndefined();
  expect(addressOf({ host, ...FORWARDED })).toBeUndefined();
});

test.each(['0.0.0.0', '[::]', '::', '0', '::0', '0:0:0:0:0:0:0:0', '::ffff:0.0.0.0', ''])(
  'a wildcard address is not a name of this server: %j',
  (hostname) => {
    for (const host of ['0.0.0.0:8090', '[::]:8090', '[::ffff:0:0]', 'attacker.example', '6.6.6.6']) {
      expect([host, addressOf({ host }, { hostRules: { hostname } })]).toEqual([host, undefined]);
    }
    expect(addressOf({ host: 'localhost:1' }, { hostRules: { hostname } })).toBe('http://localhost:1');
  },
);

test.each([
  ['10.0.0.5', '10.0.0.5'],
  ['::ffff:10.0.0.5', '10.0.0.5'],
  ['fd00::5', '[fd00::5]'],
])('the local address of the connection is accepted as a host: %s', (localAddress, host) => {
  const socket = { localAddress, localPort: 8090 };
  const hostRules = { hostname: '0.0.0.0' };
  expect(addressOf({ host: `${host}:80` }, { hostRules }, { socket })).toBe(`http://${host}:80`);
  expect(addressOf({ host: '10.0.0.6' }, { hostRules }, { socket })).toBeUndefined();
  expect(socketAddress({ scheme: 'https', headers: new Headers(), socket })).toBe(`https://${host}:8090`);
});

test('forwarded headers are used only with trustProxy, and the first value in a chain applies', () => {
  const headers = { host: 'localhost', ...FORWARDED };
  expect(addressOf(headers)).toBe('http://localhost');
  expect(addressOf(headers, { trustProxy: true })).toBe('https://proxy.example');
  const chain = { 'X-Forwarded-Proto': 'https, http', 'X-Forwarded-Host': 'a.example:8443, b.example' };
  expect(addressOf(chain, { trustProxy: true })).toBe('https://a.example:8443');
});

test('a proxy without X-Forwarded-Host does not make the Host header trusted', () => {
  const headers = { host: 'attacker.example', 'X-Forwarded-Proto': 'https' };
  expect(addressOf(headers, { trustProxy: true })).toBeUndefined();
});

test.each([
  { 'X-Forwarded-Host': 'evil.example/path?' },
  { 'X-Forwarded-Host': 'user@evil.example' },
  { 'X-Forwarded-Host': 'two words' },
  { 'X-Forwarded-Host': '' },
  { 'X-Forwarded-Proto': 'javascript' },
])('an invalid forwarded address is ignored: %j', (headers) => {
  expect(addressOf({ host: 'localhost:8090', ...headers }, { trustProxy: true })).toBe(
    'http://localhost:8090',
  );
});

test('the configured URL takes precedence over all others', () => {
  const options = { publicUrl: 'https://tools.example/', trustProxy: true };
  expect(addressOf({ host: 'attacker.example', ...FORWARDED }, options)).toBe('https://tools.example');
});
