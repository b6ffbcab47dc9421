import { expect, test } from 'vitest';
import { parseSearchEncoder } from '#manager/config/search-encoder.ts';
import { resolve } from './resolve.ts';

test.each([
  ['tools.encoder', { kind: 'file', path: '/etc/manager/tools.encoder' }],
  ['/opt/tools.encoder', { kind: 'file', path: '/opt/tools.encoder' }],
  ['http://localhost:8080', { kind: 'url', url: 'http://localhost:8080' }],
  ['HTTPS://encoder.example/v1', { kind: 'url', url: 'HTTPS://encoder.example/v1' }],
])('%s is a file or a URL', (value, expected) => {
  expect(parseSearchEncoder(value, '/etc/manager')).toEqual(expected);
});

test.each([
  '',
  ' ',
  'ftp://x',
  'file:///x.encoder',
  'http://',
  'http://user@x',
  'http://x?key=1',
  'http://x#y',
])('%j is neither', (value) => {
  expect(parseSearchEncoder(value)).toBeUndefined();
});

test('a path in the configuration file is relative to the file', () => {
  const servers = 'servers = []\n[daemon.search]\nencoder = "models/tools.encoder"\n';
  expect(resolve({ servers }).daemon.searchEncoder).toMatchObject({
    kind: 'file',
    path: expect.stringMatching(/models\/tools\.encoder$/),
  });
  expect(resolve({ servers: 'servers = []\n' }).daemon.searchEncoder).toBeUndefined();
});
