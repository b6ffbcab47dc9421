import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, Frame, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { contentsForClient } from '#manager/mcp/apps/app-page.ts';
import { provideChromium } from '#test/helpers/chromium.ts';
import { launchBrowser } from '#test/helpers/launch-browser.ts';

/** The policy that clients apply to apps that declare no domains. */
const POLICY =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; media-src 'self' data:; object-src 'none'; connect-src 'none'; frame-src 'none'";

/** An app that sends the messages that tests request, and keeps those that it receives. */
const APP = `<!doctype html><title>App</title><p>"</script>"</p><script>
  window.received = [];
  addEventListener('message', ({ data, source }) => source === parent && received.push(data));
  parent.postMessage({ jsonrpc: '2.0', id: 1, method: 'ui/initialize', params: {} }, '*');
</script>`;

const HOST = `<!doctype html><iframe id="app" sandbox="allow-scripts" src="/app"></iframe><script>
  window.received = [];
  addEventListener('message', ({ data, source }) => source === app.contentWindow && received.push(data));
</script>`;

const chromium = await provideChromium();

let browser: Browser | undefined;
let server: Server | undefined;
let page: Page;
let app: Frame;
beforeAll(async () => {
  if (chromium === undefined) return;
  browser = await launchBrowser('chromium', chromium);
  const { text } = contentsForClient('my-server', {
    uri: 'ui://stats/page',
    mimeType: 'text/html;profile=mcp-app',
    text: APP,
  });
  const listening = createServer((request, response) => {
    response.setHeader('content-type', 'text/html');
    if (request.url === '/app') response.setHeader('content-security-policy', POLICY);
    response.end(request.url === '/app' ? text : HOST);
  }).listen(0, '127.0.0.1');
  server = listening;
  await new Promise((resolve) => listening.once('listening', resolve));
  page = await browser.newPage();
  await page.goto(`http://127.0.0.1:${(listening.address() as AddressInfo).port}/`);
  await page.waitForFunction('received.length === 1');
  app = page.frames().find((frame) => frame.url() === 'about:srcdoc') ?? expect.unreachable();
});
afterAll(async () => {
  await browser?.close();
  server?.close();
});

/** Sends a message as the app; returns what the client received before `ping`, which always reaches it. */
async function fromApp(message: unknown, target = 'parent'): Promise<unknown[]> {
  await page.evaluate('received.length = 0');
  await app.evaluate(`${target}.postMessage(${JSON.stringify(message)}, '*')`);
  await app.evaluate(`parent.postMessage({ jsonrpc: '2.0', id: 'last', method: 'ping' }, '*')`);
  await page.waitForFunction(`received.at(-1)?.id === 'last'`);
  return await page.evaluate<unknown[]>('received.slice(0, -1)');
}

/** Sends a message as the client; returns what the app received. */
async function fromHost(message: unknown): Promise<unknown> {
  await app.evaluate('received.length = 0');
  await page.evaluate(`app.contentWindow.postMessage(${JSON.stringify(message)}, '*')`);
  await expect.poll(() => app.evaluate('received.length')).toBeGreaterThan(0);
  return await app.evaluate('received[0]');
}

const request = (method: string, params: object = {}, id = 7): object => ({
  jsonrpc: '2.0',
  id,
  method,
  params,
});

describe.skipIf(chromium === undefined)('the page around an app', () => {
  test('the app runs unchanged under the strictest policy of a client', async () => {
    expect(await app.title()).toBe('App');
    // The end tag without a start tag is ignored here, but would have ended the script of the relay.
    expect(await app.textContent('p')).toBe('""');
  });

  test('calls get the name of the server and a mark that the app cannot remove or choose', async () => {
    const call = request('tools/call', {
      name: 'other__delete',
      arguments: { a: 1 },
      _meta: { 'mcp-manager/app': 'other', progressToken: 3 },
    });
    expect(await fromApp(call)).toEqual([
      request('tools/call', {
        name: 'my-server__other__delete',
        arguments: { a: 1 },
        _meta: { 'mcp-manager/app': 'my-server', progressToken: 3 },
      }),
    ]);
  });

  test('resources are read from the server, and the app receives its own URIs', async () => {
    for (const [own, outer] of [
      ['ui://stats/page', 'ui://mcp-manager/my-server/stats/page'],
      ['memo://one', 'mcp:my-server:memo://one'],
      ['mcp:other:memo://one', 'mcp:my-server:mcp:other:memo://one'],
      ['ui://mcp-manager/other/page', 'ui://mcp-manager/my-server/mcp-manager/other/page'],
    ]) {
      expect(await fromApp(request('resources/read', { uri: own }))).toEqual([
        request('resources/read', { uri: outer }),
      ]);
      const response = { jsonrpc: '2.0', id: 7, result: { contents: [{ uri: outer, text: 'x' }] } };
      expect(await fromHost(response)).toEqual({
        ...response,
        result: { contents: [{ uri: own, text: 'x' }] },
      });
    }
  });

  test.each([
    'tools/list',
    'resources/list',
    'prompts/get',
    'completion/complete',
    'tasks/get',
    'logging/setLevel',
    'anything',
  ])('%s is rejected, because it could reach other servers', async (method) => {
    await app.evaluate('received.length = 0');
    expect(await fromApp(request(method))).toEqual([]);
    await expect.poll(() => app.evaluate('received.length')).toBeGreaterThan(0);
    expect(await app.evaluate('received')).toEqual([
      { jsonrpc: '2.0', id: 7, error: { code: -32_601, message: `${method} is not available to apps.` } },
    ]);
  });

  test('messages of the user interface pass in both directions', async () => {
    for (const method of [
      'ui/open-link',
      'ui/message',
      'ui/notifications/size-changed',
      'notifications/message',
    ]) {
      expect(await fromApp(request(method, { a: 1 }))).toEqual([request(method, { a: 1 })]);
    }
    const input = { jsonrpc: '2.0', method: 'ui/notifications/tool-input', params: { arguments: { a: 1 } } };
    expect(await fromHost(input)).toEqual(input);
    const result = { jsonrpc: '2.0', id: 4, result: { ok: true } };
    expect(await fromApp(result)).toEqual([result]);
    expect(await fromApp(request('ui/notifications/sandbox-proxy-ready'))).toEqual([]);
    expect(await fromApp('text')).toEqual([]);
  });

  test("the app sees the name of its tool without the server's name", async () => {
    const context = (name: string): object => ({
      theme: 'dark',
      toolInfo: { id: 1, tool: { name, inputSchema: {} } },
    });
    const initialized = (name: string): object => ({
      jsonrpc: '2.0',
      id: 1,
      result: { hostContext: context(name) },
    });
    expect(await fromHost(initialized('my-server__show'))).toEqual(initialized('show'));
    const changed = (name: string): object => ({
      jsonrpc: '2.0',
      method: 'ui/notifications/host-context-changed',
      params: context(name),
    });
    expect(await fromHost(changed('my-server__show'))).toEqual(changed('show'));
  });

  test('the app cannot reach the client without the relay, or change the relay', async () => {
    expect(await fromApp(request('tools/call', { name: 'other__delete' }), 'parent.parent')).toEqual([]);
    expect(await fromApp(request('tools/call', { name: 'other__delete' }), 'top')).toEqual([]);
    await expect(app.evaluate('parent.document.title')).rejects.toThrow(/cross-origin|SecurityError/);
    expect(await app.evaluate('origin')).toBe('null');
  });
});
