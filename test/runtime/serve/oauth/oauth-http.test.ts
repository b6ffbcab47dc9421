import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { discoverResource, discoverServer } from '#serve/oauth/discover.ts';
import { createOAuthHttp, type OAuthHttpOptions } from '#serve/oauth/oauth-http.ts';

async function serve(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const seen: string[] = [];
  const server: Server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    answer(request, response);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { seen, port: (server.address() as AddressInfo).port };
}

function client(options: Partial<OAuthHttpOptions> = {}) {
  const http = createOAuthHttp({ allowsPrivate: true, allowsHttp: true, timeoutMs: 5000, ...options });
  onTestFinished(() => http.close());
  return http;
}

test('a server on the internet cannot make the program call private addresses, however they are written', async () => {
  const { seen, port } = await serve((_request, response) => response.end('{}'));
  const http = client({ allowsPrivate: false });
  for (const host of [
    '127.0.0.1',
    '[::1]',
    '[::ffff:127.0.0.1]',
    '2130706433',
    '0x7f.1',
    'localhost',
    '10.0.0.1',
  ]) {
    await expect(http.get(`http://${host}:${port}/keys`), host).rejects.toThrow('which is not public');
    await expect(http.postJson(`http://${host}:${port}/register`, {}), host).rejects.toThrow(
      'which is not public',
    );
  }
  expect(seen).toEqual([]);
  for (const host of ['169.254.169.254', '[fd00:ec2::254]', '224.0.0.1']) {
    await expect(client().get(`http://${host}/`), host).rejects.toThrow('which is not public');
  }
});

test('URLs without TLS, with other protocols or with credentials are rejected, and the error omits their query', async () => {
  const http = client({ allowsHttp: false });
  for (const url of [
    'http://id.example/keys?secret=x',
    'file:///etc/passwd',
    'https://u:secret@id.example',
    'secret',
  ]) {
    const failure = await http.get(url).catch((error: Error) => error.message);
    expect(failure).toContain('must start with https:// and must not contain credentials.');
    expect(failure).not.toContain('secret=x');
  }
});

test('only metadata follows redirects, within its origin; large and non-JSON bodies are rejected', async () => {
  const { seen, port } = await serve(({ url }, response) => {
    if (url === '/here') response.writeHead(302, { location: '/there' }).end();
    else if (url === '/there') response.end('{"found": true}');
    else if (url === '/large') response.end(`"${'x'.repeat(2 ** 20)}"`);
    else if (url === '/loop') response.writeHead(301, { location: '/loop' }).end();
    else response.writeHead(307, { location: 'http://localhost:1/' }).end();
  });
  const base = `http://127.0.0.1:${port}`;
  const http = client();
  expect((await http.get(`${base}/here`)).body).toEqual({ found: true });
  expect((await http.get(`${base}/away`)).status).toBe(307);
  expect((await http.get(`${base}/loop`)).status).toBe(301);
  expect((await http.postForm(`${base}/here`, new URLSearchParams({ code: 'x' }))).status).toBe(302);
  expect(seen.at(-1)).toBe('POST /here');
  await expect(http.get(`${base}/large`)).rejects.toThrow('Cannot connect to');
});

test('metadata URLs are tried in order, and a failing server is not treated as one without metadata', async () => {
  const found = new Map<string, number>();
  const { seen, port } = await serve(({ url = '' }, response) => {
    response
      .writeHead(found.get(url) ?? 404)
      .end(`{"issuer": "http://127.0.0.1:${port}/a", "resource": "http://127.0.0.1:${port}"}`);
  });
  const base = `http://127.0.0.1:${port}`;
  const http = client();
  expect(await discoverServer(http, `${base}/a`)).toBeUndefined();
  expect(seen.splice(0)).toEqual([
    'GET /.well-known/oauth-authorization-server/a',
    'GET /.well-known/openid-configuration/a',
    'GET /a/.well-known/openid-configuration',
  ]);
  found.set('/a/.well-known/openid-configuration', 200).set('/.well-known/oauth-protected-resource', 200);
  expect(await discoverServer(http, `${base}/a`)).toMatchObject({ issuer: `${base}/a` });
  expect(await discoverResource(http, new URL(`${base}/mcp`), undefined)).toMatchObject({ resource: base });
  seen.splice(0);
  expect(await discoverResource(http, new URL(`${base}/mcp`), `${base}/announced`)).toBeUndefined();
  expect(seen).toEqual(['GET /announced']);
  found.set('/.well-known/oauth-authorization-server/a', 503);
  await expect(discoverServer(http, `${base}/a`)).rejects.toThrow('returned status 503');
});

test.each(['<!doctype html>', '{"path": "/"}', '[]'])(
  'a resource that responds to all URLs with %s has no metadata, unless it has announced this URL',
  async (body) => {
    const { port } = await serve((_request, response) => response.end(body));
    const url = new URL(`http://127.0.0.1:${port}/v1`);
    expect(await discoverResource(client(), url, undefined)).toBeUndefined();
    await expect(discoverResource(client(), url, `${url.href}/announced`)).rejects.toThrow(
      'The protected-resource metadata has no `resource`.',
    );
  },
);
