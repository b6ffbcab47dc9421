import { expect, test } from 'vitest';
import { AppError } from '#contract/errors.ts';
import { errorType } from '#manager/calls/run-call.ts';
import { RpcFailure, SessionExpired, TimeoutFailure } from '#manager/upstream/connection.ts';

test.each([
  [new RpcFailure(-32_602, 'Unknown tool.'), '-32602'],
  [new TimeoutFailure('The server did not respond.'), 'timeout'],
  [new SessionExpired(), 'connection_closed'],
  [new AppError('InputError', 'Invalid.'), '-32600'],
  [new Error('Unexpected.'), '-32603'],
])('the error type of %s is %s', (error, type) => {
  expect(errorType(error)).toBe(type);
});
