import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import { harmlessType } from '#gateway/api/http/harmless-type.ts';
import { findChromium } from '#test/helpers/chromium.ts';
import { launchBrowser } from '#test/helpers/launch-browser.ts';
import { providerOf } from '../test-provider.ts';
import { openGateway } from './open-gateway.ts';

const SCRIPT = '<!doctype html><title>before</title><script>document.title = "it runs"</script>';
let type = 'text/html; charset=utf-8';
// A provider that stores a page with a script.
const server = createServer((request, response) => {
  request.resume();
  const isContent = request.url?.endsWith('/content');
  response.writeHead(200, { 'content-type': isContent ? type : 'application/json' });
  response.end(isContent ? SCRIPT : '{"id":"file-1","object":"file","filename":"a\\"b\\r\\n.html"}');
});
server.listen(0, '127.0.0.1');
await once(server, 'listening');
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const gateway = await openGateway({
  providers: [providerOf('openai', { url } as Parameters<typeof providerOf>[1], { listedAs: 'openai' })],
});
afterAll(async () => {
  await gateway.close();
  server.closeAllConnections();
  server.close();
});
const keyOf = async (more: object) =>
  (await gateway.ask('POST', '/v1/keys', { user_id: 'ann', ...more })).body.key;
const [key, manage] = [await keyOf({}), await keyOf({ scope: 'manage' })];
const form = new FormData();
form.set('purpose', 'user_data');
form.set('file', new File(['x'], 'a.html'));
await gateway.request('/v1/files', { method: 'POST', headers: { 'x-api-key': key }, body: form });

const PAGES = new Set(['/', '/docs', '/docs/']);

test("no response can run scripts in a browser, and pages can run only the gateway's own files", async () => {
  const wrong: string[] = [];
  const paths = new Set(
    gateway.app.routes
      .filter(({ method }) => method === 'GET')
      .map(({ path }) => path.replaceAll(/:\w+(?:\{[^}]*\})?/g, 'x')),
  );
  expect(paths.size).toBeGreaterThan(80);
  for (const path of [...paths, '/v1/files/file-1/content', '/nothing'])
    for (const headers of [{}, { accept: 'text/html' }, { 'x-api-key': key }] as Record<string, string>[]) {
      const { headers: answer } = await gateway.request(path, { headers });
      const policy = answer.get('content-security-policy') ?? '';
      const isPage = PAGES.has(path) || path.startsWith('/assets/') || path.includes('/docs');
      const isClosed = policy.includes("default-src 'none'") && !/unsafe|https?:|\*/.test(policy);
      const isFine = isClosed && (isPage || policy.startsWith('sandbox;'));
      if (!isFine || answer.get('x-content-type-options') !== 'nosniff') wrong.push(`${path} ${policy}`);
    }
  expect(wrong).toEqual([]);
});

test('file content is served as a download with an inert type', async () => {
  const get = async (headers: Record<string, string>) =>
    await gateway.request('/v1/files/file-1/content', { headers });
  const { status, headers, text } = await get({ 'x-api-key': key });
  expect([status, text]).toEqual([200, SCRIPT]);
  expect(Object.fromEntries(headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="a_b__.html"; filename*=UTF-8''a%22b%0D%0A.html`,
    'content-security-policy': "sandbox; default-src 'none'; frame-ancestors 'none'",
    'x-content-type-options': 'nosniff',
  });
  // Readable neither with a sign-in nor with a management key.
  expect((await get({ cookie: `gateway_session=${manage}` })).body.error.code).toBe('missing_credentials');
  expect((await get({ 'x-api-key': manage })).body.error.code).toBe('management_key');
});

test.each([
  ['text/html', 'application/octet-stream'],
  ['image/svg+xml', 'application/octet-stream'],
  ['application/xhtml+xml', 'application/octet-stream'],
  ['text/xml', 'application/octet-stream'],
  ['application/pdf', 'application/octet-stream'],
  ['text/javascript', 'application/octet-stream'],
  ['', 'application/octet-stream'],
  ['TEXT/HTML; charset=utf-8', 'application/octet-stream'],
  ['text/plain,text/html', 'application/octet-stream'],
  ['text/plain; charset=utf-7', 'text/plain'],
  ['text/plain; charset=UTF-8', 'text/plain; charset=utf-8'],
  ['application/json', 'application/json'],
  [' Audio/MPEG ', 'audio/mpeg'],
])('content type %j is served as %j', (given, sent) => {
  expect(harmlessType(given)).toBe(sent);
});

const chromium = await findChromium();
test.runIf(chromium !== undefined)(
  'Chromium does not run the script of a stored page',
  { timeout: 60_000 },
  async () => {
    const address = await gateway.listen();
    const browser = await launchBrowser('chromium', chromium ?? '', 'light');
    try {
      const context = await browser.newContext({
        extraHTTPHeaders: { 'x-api-key': key },
        acceptDownloads: true,
      });
      const page = await context.newPage();
      // The script runs when the provider itself serves the page.
      await page.goto(`${url}/content`);
      expect(await page.title()).toBe('it runs');
      const own = await context.newPage();
      const download = own.waitForEvent('download');
      await own.goto(`${address}/v1/files/file-1/content`).catch(() => undefined);
      expect((await download).suggestedFilename()).toContain('.html');
      expect(await own.title()).toBe('');
      // The policy alone is sufficient, even for a type that browsers render.
      type = 'text/plain';
      const sandboxed = await own.goto(`${address}/nothing`);
      expect([sandboxed?.status(), await own.evaluate('self.origin')]).toEqual([404, 'null']);
    } finally {
      await browser.close();
    }
  },
);
