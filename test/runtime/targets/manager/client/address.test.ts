import { expect, test } from 'vitest';
import { addressUrl } from '#manager/client/address.ts';

test.each([
  ['127.0.0.1:8090', 'http://127.0.0.1:8090'],
  ['localhost:1', 'http://localhost:1'],
  [':8090', 'http://127.0.0.1:8090'],
  ['0.0.0.0:8090', 'http://127.0.0.1:8090'],
  ['[::]:8090', 'http://[::1]:8090'],
  ['[::1]:8090', 'http://[::1]:8090'],
  ['https://manager.example', 'https://manager.example'],
  ['http://10.0.0.1:9', 'http://10.0.0.1:9'],
])('%s is normalized to %s', (address, origin) => {
  expect(addressUrl(address).origin).toBe(origin);
});

test.each(['', 'localhost', 'localhost:99999', 'http://', 'a b:1'])(
  '%j is rejected as an address',
  (address) => {
    expect(() => addressUrl(address)).toThrow('Invalid manager address');
  },
);
