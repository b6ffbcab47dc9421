import { extname } from 'node:path';
import { expect, test } from 'vitest';
import { modelPageApp } from '#test/helpers/model-page-app.ts';
import { pageFilesOf } from '#test/helpers/page-files-of.ts';

const FILES = ['targets/encoder/http/page', 'serve/http/docs-page', 'serve/http/pages'].flatMap((room) =>
  pageFilesOf(room).names(),
);
const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
};

const routes = modelPageApp();
const pathOf = (file: string): string =>
  ({ 'index.html': '/', 'docs.html': '/docs' })[file] ?? `/assets/${file}`;

test('file names are unique across folders', () => {
  expect(new Set(FILES).size).toBe(FILES.length);
});

test.each(FILES)(
  '%s has the right content type and a content security policy without other origins',
  async (file) => {
    const response = await routes.request(pathOf(file));
    expect(response.status).toBe(200);
    expect(response.headers.get('Content-Type')).toBe(TYPES[extname(file)]);
    expect(response.headers.get('X-Content-Type-Options')).toBe('nosniff');
    expect(response.headers.get('Content-Security-Policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; media-src data:; " +
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    );
    const text = await response.text();
    expect(text.length).toBeGreaterThan(50);
    // The result is JavaScript, whose imports are files that browsers can load.
    expect(text).not.toMatch(/^(?:export )?(?:interface|type) |\bfrom '[^']*(?:\.ts|#[^']*)'/m);
  },
);

test('no file refers to another origin, or inserts text as HTML', async () => {
  for (const file of FILES) {
    const text = await (await routes.request(pathOf(file))).text();
    const links = text.match(/(?:https?:)?\/\/[a-z][\w.-]*\.[a-z]+/gi) ?? [];
    expect([file, links.filter((link) => link !== 'http://www.w3.org')]).toEqual([file, []]);
    expect(text).not.toMatch(/innerHTML|outerHTML|insertAdjacentHTML|document\.write/);
  }
});

test.each(['/', '/docs'])('%s contains no inline code or styles', async (path) => {
  const text = await (await routes.request(path)).text();
  expect(text).toContain('<script type="module" src=');
  expect(text).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\son\w+=|\sstyle=/i);
});

test("unchanged content in the browser's cache is not sent again", async () => {
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

test('only the listed files are served', async () => {
  for (const path of [
    '/assets/',
    '/assets/index.html',
    '/assets/tsconfig.json',
    '/assets/../routes.ts',
    '/assets/%2e%2e/routes.ts',
    '/assets/tasks',
    '/assets/app.ts',
    '/assets/../browser/app.js',
  ]) {
    expect([path, (await routes.request(path)).status]).toEqual([path, 404]);
  }
});
