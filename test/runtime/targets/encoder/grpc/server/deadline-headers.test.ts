import { expect, test } from 'vitest';
import { dropDistantDeadline } from '#encoder/grpc/server/request-listener.ts';

test.each([
  ['grpc-timeout', '99999999H', false],
  ['grpc-timeout', '600H', false],
  ['grpc-timeout', '99999999S', false],
  ['grpc-timeout', '590H', true],
  ['grpc-timeout', '99999999m', true],
  ['grpc-timeout', '99999999n', true],
  ['grpc-timeout', 'soon', true],
  ['connect-timeout-ms', '9999999999', false],
  ['connect-timeout-ms', '2147483647', true],
])('whether the deadline header %s: %s is kept: %s', (name, value, kept) => {
  const headers = { [name]: value, other: '1' };
  dropDistantDeadline(headers);
  expect(Object.keys(headers)).toEqual(kept ? [name, 'other'] : ['other']);
});
