import { expect, test } from 'vitest';
import { isSameOrigin, nextUrl } from '#cli/packaging/hub/redirects.ts';
import { isSafePath } from '#cli/packaging/hub/safe-path.ts';

test.each([
  'config.json',
  'onnx/model.onnx',
  'a b/ü.txt',
  '..a/b..',
  '.gitattributes',
  '1_Pooling/config.json',
])('%s is a valid path in the snapshot', (path) => {
  expect(isSafePath(path)).toBe(true);
});

test.each([
  '',
  '/',
  '/etc/passwd',
  '..',
  '../x',
  'a/../../x',
  'a/..',
  './a',
  'a//b',
  'a/',
  'a\\..\\b',
  'C:x',
  'a\0b',
  'a\nb',
])('%j is not a valid path in the snapshot', (path) => {
  expect(isSafePath(path)).toBe(false);
});

test('relative and absolute redirects are followed', () => {
  const url = new URL('https://hub.example/a/b?c=1');
  expect(nextUrl(url, '/x/y').href).toBe('https://hub.example/x/y');
  expect(nextUrl(url, 'https://cdn.example/z').href).toBe('https://cdn.example/z');
  expect(nextUrl(new URL('http://hub.example/'), 'http://cdn.example/z').href).toBe('http://cdn.example/z');
});

test.each(['http://hub.example/', 'file:///etc/passwd', 'ftp://x/', 'https://[', 'javascript:1'])(
  'a redirect from https to %s is rejected',
  (location) => {
    expect(() => nextUrl(new URL('https://hub.example/'), location)).toThrow('which is not an https URL');
  },
);

test('a token is sent only to the same scheme, host and port', () => {
  const endpoint = 'https://hub.example/prefix';
  const isFor = (url: string): boolean => isSameOrigin(new URL(url), endpoint);
  expect(isFor('https://hub.example/other')).toBe(true);
  expect(isFor('https://hub.example:443/')).toBe(true);
  expect(
    ['http://hub.example/', 'https://hub.example:8443/', 'https://cdn.hub.example/'].filter(isFor),
  ).toEqual([]);
});
