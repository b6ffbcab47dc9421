import { gunzipSync } from 'node:zlib';
import type { Hono } from 'hono';
import { describe, expect, test } from 'vitest';
import { docsPageRoutes } from '#serve/http/docs-page/routes.ts';
import type { PageFiles } from '#serve/http/pages/page-files.ts';
import { modelPageApp } from '#test/helpers/model-page-app.ts';
import { gatewayPageRoutes } from '#gateway/api/pages/routes.ts';
import { managerPageRoutes } from '#manager/http/pages/routes.ts';
import { pageFilesOf } from '#test/helpers/page-files-of.ts';

/** All files that a browser can load from a program, compressed and not minified. */
const MAX_BYTES = 250_000;

const SHARED = ['serve/http/pages', 'serve/http/docs-page'].map(pageFilesOf);
const PROGRAMS: readonly (readonly [name: string, files: PageFiles, routes: readonly Hono[]])[] = [
  ['encoder', pageFilesOf('targets/encoder/http/page'), [modelPageApp()]],
  ['gateway', pageFilesOf('targets/gateway/api/pages'), [gatewayPageRoutes(), docsPageRoutes()]],
  [
    'mcp-manager',
    pageFilesOf('targets/manager/http/pages'),
    [managerPageRoutes({ check: () => undefined }), docsPageRoutes()],
  ],
];

describe.each(PROGRAMS)('the pages of %s', (_, files, routes) => {
  const get = async (path: string, encoding: string): Promise<Response> => {
    const headers = { Accept: 'text/html', 'Accept-Encoding': encoding };
    const answers = await Promise.all(routes.map(async (one) => await one.request(path, { headers })));
    return answers.find(({ ok }) => ok) ?? expect.unreachable(path);
  };

  test(`are at most ${MAX_BYTES} bytes in size`, async () => {
    let total = 0;
    for (const file of [...SHARED, files].flatMap((one) => one.names())) {
      const path = { 'index.html': '/', 'docs.html': '/docs' }[file] ?? `/assets/${file}`;
      const answer = await get(path, 'gzip');
      expect([file, answer.headers.get('Content-Encoding')]).toEqual([file, 'gzip']);
      total += (await answer.arrayBuffer()).byteLength;
    }
    expect(total).toBeGreaterThan(20_000);
    expect(total).toBeLessThan(MAX_BYTES);
  });

  test('are compressed only for clients that accept it', async () => {
    const plain = await get('/docs', 'identity');
    const compressed = await get('/docs', 'deflate, gzip;q=0.5');
    expect(plain.headers.get('Content-Encoding')).toBeNull();
    expect(gunzipSync(await compressed.arrayBuffer()).toString()).toBe(await plain.text());
    expect((await get('/docs', 'gzip;q=0')).headers.get('Content-Encoding')).toBeNull();
    expect(compressed.headers.get('Vary')).toContain('Accept-Encoding');
    expect(compressed.headers.get('ETag')).toBe(`W/${plain.headers.get('ETag')}`);
  });
});
