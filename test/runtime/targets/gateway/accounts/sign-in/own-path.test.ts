import { array, assert, constantFrom, oneof, property, string, webUrl } from 'fast-check';
import { expect, test } from 'vitest';
import { ownPath } from '#gateway/accounts/sign-in/own-path.ts';

const BASES = [
  'https://gateway.example',
  'http://localhost:8000',
  'http://127.0.0.1:8000',
  'http://[::1]:8000',
];

/** The origin that a browser loads for this location. */
const loaded = (location: string, base: string): string => new URL(location, `${base}/auth/callback`).origin;

test.each([
  ['/.//evil.com', '/docs'],
  ['/..//evil.com', '/docs'],
  ['/a/..//evil.com', '/docs'],
  ['/%2e//evil.com', '/docs'],
  ['/.\\\\evil.com', '/docs'],
  ['/\t/evil.com', '/docs'],
  ['//evil.com', '/docs'],
  ['/\\evil.com', '/docs'],
  ['https://evil.com', '/docs'],
  ['javascript:alert(1)', '/docs'],
  ['docs', '/docs'],
  ['', '/docs'],
  ['/docs?x=1', '/docs?x=1'],
  ['/a//b', '/a//b'],
  ['/#/keys', '/'],
  ['/v1/me?next=//evil.com', '/v1/me?next=//evil.com'],
])('the return path %j redirects to %j after sign-in', (returnTo, path) => {
  expect(ownPath(returnTo, 'https://gateway.example')).toBe(path);
});

test('a return path never redirects to another site', () => {
  const part = constantFrom(
    '/',
    '//',
    '\\',
    '.',
    '..',
    './',
    '../',
    '%2e',
    '%2E%2e',
    '%2f',
    '%5c',
    '\t',
    '\n',
    '\r',
    ' ',
    '\u0000',

    '?',
    '#',
    '@',
    ':',
    ':80',
    'evil.com',
    'a',
    'https:',
    'javascript:',
    '///',
    ';',
    '[::1]',
    '％',
    '．',
    '。',
    '／',

    '\uFEFF',
    '\u200B',
    '\uD800',
    'é',
    '%',
    '%zz',
    '&',
    '=',
    '|',
    '^',
    '~',
    'data:',
    'file://',
    'user:pw@evil.com',
  );
  const hostile = oneof(
    array(part, { maxLength: 12 }).map((parts) => parts.join('')),
    array(part, { maxLength: 12 }).map((parts) => `/${parts.join('')}`),
    string({ unit: 'binary' }).map((text) => `/${text}`),
    webUrl(),
  );
  assert(
    property(hostile, constantFrom(...BASES), (returnTo, base) => {
      const location = ownPath(returnTo, base);
      expect(location).toMatch(/^\/(?![/\\])/);
      expect(loaded(location, base)).toBe(base);
      // The result of another redirect with this path.
      expect(ownPath(location, base)).toBe(location);
    }),
    { numRuns: 5000 },
  );
});
