import { expect, test } from 'vitest';
import { bindHost, formatAddress } from '#serve/bind.ts';

test.each([
  ['[::]', '::'],
  ['[::1]', '::1'],
  ['::1', '::1'],
  ['0.0.0.0', '0.0.0.0'],
  ['localhost', 'localhost'],
  [' [::] ', '::'],
])('the hostname %s is bound as %s', (hostname, bound) => {
  expect(bindHost(hostname)).toBe(bound);
});

test.each([
  ['[::]', '[::]:50051'],
  ['::1', '[::1]:50051'],
  ['0.0.0.0', '0.0.0.0:50051'],
  ['localhost', 'localhost:50051'],
])('the address %s is formatted as %s', (hostname, address) => {
  expect(formatAddress(hostname, 50_051)).toBe(address);
});
