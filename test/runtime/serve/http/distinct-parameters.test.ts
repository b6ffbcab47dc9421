import { expect, test } from 'vitest';
import { requireDistinctParameters } from '#serve/http/query.ts';
import { httpShell } from '#serve/http/shell.ts';
import { testKernel } from '../../../helpers/test-kernel.ts';

test.each([
  '/x?limit=1&limit=2',
  '/x?a=1&limit=1&b&limit=1',
  '/x?limit=1&%6cimit=2',
  '/x?limit&limit',
  '/x?=1&=2',
  '/x?a+b=1&a%20b=2',
  '/x?__proto__=1&__proto__=2',
  '/y?tag=a&tag=b',
])('a duplicate query parameter is rejected: %s', async (url) => {
  const app = httpShell(testKernel(), {
    repeatable: (path) => (path === '/x' ? new Set(['tag']) : undefined),
  });
  app.get('/x', (c) => c.text('fine'));
  expect((await app.request(url)).status).toBe(422);
  // For any path and method.
  expect((await app.request(url.replace('/x', '/healthz'))).status).toBe(422);
  expect((await app.request(url.replace('/x', '/nothing'), { method: 'POST' })).status).toBe(422);
});

test.each([
  '/x',
  '/x?limit=1',
  '/x?limit=1&Limit=2',
  '/x?tag=a&tag=b',
  '/x?include[]=a&include%5B%5D=b',
  '/x?&&',
  '/x?',
])('a query without duplicates, except of repeatable parameters, is accepted: %s', async (url) => {
  const app = httpShell(testKernel(), {
    repeatable: (path) => (path === '/x' ? new Set(['tag']) : undefined),
  });
  app.get('/x', (c) => c.text('fine'));
  expect((await app.request(url)).status).toBe(200);
});

test('the error names the duplicate parameter', () => {
  expect(() => requireDistinctParameters('/x?limit=1&limit=2', () => false)).toThrow(
    'parameter "limit" appears more than once in the query string. Send it once.',
  );
});
