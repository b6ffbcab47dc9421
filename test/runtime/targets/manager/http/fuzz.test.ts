import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import type { Answer } from './open-api.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [serverSpec('echo', 'echo', { tools: { allow: ['number'], deny: [] } })],
}));

/** Problems of a response to any request: nothing may crash, and each rejection must be a problem document. */
function disorderIn({ status, headers, body }: Answer): string | undefined {
  if (status >= 500 && status !== 501) return `status ${status}`;
  if (status < 400) return undefined;
  if (headers.get('Content-Type') !== 'application/problem+json') return 'no problem';
  return body.status === status && body.title && body.detail ? undefined : JSON.stringify(body);
}

const junk = fc.oneof(
  fc.json({ maxDepth: 4 }),
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.constantFrom('{', '{"a":', '\ufeff{}', '{"a":1}{}'),
);

test('any body gets a documented response', async () => {
  const post = '/api/v1/servers/echo';
  const paths = fc.constantFrom(`${post}/tools/number`, `${post}/prompts/greet`);
  await fc.assert(
    fc.asyncProperty(paths, junk, async (path, text) => {
      const answer = await api().post(path, text, { 'Content-Type': 'application/json' });
      expect([text, disorderIn(answer)]).toEqual([text, undefined]);
    }),
    { numRuns: 300 },
  );
});

const word = fc.oneof(
  fc.constantFrom('api', 'v1', 'servers', 'echo', 'ECHO', 'tools', 'number', 'prompts', 'greet', 'resources'),
  fc.constantFrom(
    'content',
    'templates',
    'health',
    'admin',
    'schemas',
    'Tool.json',
    'docs',
    'assets',
    '..',
    '.',
    '',
  ),
  fc.constantFrom(
    '%2F',
    '%00',
    '%ff',
    '%25',
    '%zz',
    '%',
    '💩',
    '__proto__',
    'constructor',
    '*',
    ':name',
    '{name}',
  ),
  fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => encodeURIComponent(text.toWellFormed())),
);
const path = fc.oneof(
  fc.array(word, { maxLength: 8 }).map((words) => `/${words.join('/')}`),
  fc.array(word, { maxLength: 4 }).map((words) => `/api/v1/servers/${words.join('/')}`),
);
const query = fc.oneof(
  fc.constant(''),
  fc
    .dictionary(
      fc.constantFrom('cursor', 'uri', 'detail', 'result', 'q', 'limit', 'lines', 'x'),
      fc.string({ unit: 'grapheme' }),
    )
    .map((values) => `?${new URLSearchParams(values).toString()}`),
  fc.constantFrom('?', '?detail', '?detail=%ff', '?a&&=b', '?uri=%'),
);

const method = fc.constantFrom('GET', 'POST', 'PUT', 'DELETE', 'OPTIONS');

test('any path, query and method gets a documented response', async () => {
  await fc.assert(
    fc.asyncProperty(path, query, method, async (where, what, method) => {
      const url = `http://localhost${where}${what}`;
      // A hundred restarts would not test anything else.
      fc.pre(URL.canParse(url) && !/restart|follow/.test(url));
      const answer = await api().request(url, { method });
      expect([method, url, disorderIn(answer)]).toEqual([method, url, undefined]);
    }),
    { numRuns: 1000 },
  );
});

const header = fc.constantFrom(
  'Accept',
  'Origin',
  'Host',
  'Authorization',
  'X-Request-Id',
  'X-Forwarded-Host',
  'Content-Length',
);

test('any header gets a documented response', async () => {
  await fc.assert(
    fc.asyncProperty(header, fc.string({ maxLength: 40 }), async (name, text) => {
      const value = text.replaceAll(/[^\x20-\x7e]/g, '');
      const answer = await api().get('/api/v1/servers', { [name]: value });
      expect([name, value, disorderIn(answer)]).toEqual([name, value, undefined]);
    }),
    { numRuns: 300 },
  );
});
