import { readdirSync } from 'node:fs';
import { extname } from 'node:path';
import { expect, test } from 'vitest';
import { DOCS_FILES } from '#serve/http/docs-page/files.ts';
import { SHARED_FILES } from '#serve/http/pages/files.ts';
import { PAGE_FILES } from '#encoder/http/page/files.ts';
import { pageRoutes } from '#encoder/http/page/routes.ts';

const RUNTIME = new URL('../../../../../../runtime/', import.meta.url);
const FOLDERS = {
  'targets/encoder/http/page/browser': PAGE_FILES,
  'serve/http/docs-page/browser': DOCS_FILES,
  'serve/http/pages/browser': SHARED_FILES,
};
const FILES: readonly string[] = [...PAGE_FILES, ...DOCS_FILES, ...SHARED_FILES];
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

const routes = pageRoutes();
const pathOf = (file: string): string =>
  ({ 'index.html': '/', 'docs.html': '/docs' })[file] ?? `/assets/${file}`;

test.each(Object.entries(FOLDERS))('the list of files is the folder %s', (folder, list) => {
  const files = readdirSync(new URL(folder, RUNTIME), { recursive: true, encoding: 'utf8' });
  const shipped = files.filter((name) => extname(name) in TYPES).map((name) => name.replaceAll('\\', '/'));
  expect(shipped.length).toBeGreaterThan(5);
  expect([...list].sort()).toEqual(shipped.sort());
});

test('no file of one folder hides one of another', () => {
  expect(new Set(FILES).size).toBe(FILES.length);
});

test.each(FILES)('%s is served with its type, and with nothing allowed but our own', async (file) => {
  const response = await routes.request(pathOf(file));
  expect(response.status).toBe(200);
  expect(response.headers.get('Content-Type')).toBe(TYPES[extname(file)]);
  expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
  expect(response.headers.get('Content-Security-Policy')).toBe(
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src data:; " +
      "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  );
  expect((await response.text()).length).toBeGreaterThan(50);
});

test('no file names another origin, or makes elements of texts', async () => {
  for (const file of FILES) {
    const text = await (await routes.request(pathOf(file))).text();
    const links = text.match(/(?:https?:)?\/\/[a-z][\w.-]*\.[a-z]+/gi) ?? [];
    expect([file, links.filter((link) => link !== 'http://www.w3.org')]).toEqual([file, []]);
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  }
});

test.each(['/', '/docs'])('%s has no code and no style inside', async (path) => {
  const text = await (await routes.request(path)).text();
  expect(text).toContain('<script type="module" src=');
  expect(text).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/i);
});

test('content that a browser has cached is not sent again', async () => {
  const first = await routes.request('/');
  const etag = first.headers.get('ETag') ?? '';
  expect(etag).toMatch(/^"[\w-]{22}"$/);
  expect(first.headers.get('Cache-Control')).toBe('no-cache');
  for (const known of [etag, `W/${etag}`, `"other", ${etag}`]) {
    const again = await routes.request('/', { headers: { 'If-None-Match': known } });
    expect([again.status, await again.text(), again.headers.get('ETag')]).toEqual([304, '', etag]);
  }
  expect((await routes.request('/', { headers: { 'If-None-Match': '"other"' } })).status).toBe(200);
});

test('only the listed files are there', async () => {
  for (const path of [
    '/assets/',
    '/assets/index.html',
    '/assets/tsconfig.json',
    '/assets/../routes.ts',
    '/assets/%2e%2e/routes.ts',
    '/assets/tasks',
  ]) {
    expect([path, (await routes.request(path)).status]).toEqual([path, 404]);
  }
});
