import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { openRecorded, PATIENCE, textOf } from '../open-recorded.ts';
import { apiSpec, respondJson, startRecording } from './recording-server.ts';
import { type Document, documentText, temporaryFolder, writeDocument } from './write-document.ts';

const parameter = (name: string, place: string, more: object = {}) => ({
  name,
  in: place,
  schema: { type: 'string' },
  ...more,
});
const get = (path: string, parameters: readonly object[] = [], more: object = {}): Document => ({
  paths: { [path]: { get: { operationId: 'get', parameters, responses: {}, ...more } } },
});

test.each([
  '..',
  '.',
  '../admin',
  'a/b',
  'a\\b',
  '%2e%2e',
  '%2e%2e%2fadmin',
  '%252e%252e%252fadmin',
  '..;x=1',
  'a%2fb',
  'a\u0000',
  'a%00',
  '',
])('the path parameter %j cannot lead to another operation', async (id) => {
  const server = await startRecording();
  const { call } = await openRecorded(
    apiSpec({ document: writeDocument(get('/users/{id}')), baseUrl: `${server.origin}/v1` }),
  );
  expect((await call('get', { id }))['isError']).toBe(true);
  expect(server.requests).toEqual([]);
});

test('path parameters contain slashes only if the configuration or the document allows it', async () => {
  const server = await startRecording();
  const settings = { baseUrl: server.origin, pathSlashes: ['path'] };
  const configured = await openRecorded(
    apiSpec({ ...settings, document: writeDocument(get('/files/{path}')) }),
  );
  await configured.call('get', { path: 'a/b c' });
  expect(textOf(await configured.call('get', { path: 'a/../../x' }))).toMatch(
    'must not contain the path segments',
  );
  const raw = parameter('path', 'path', { required: true, allowReserved: true });
  const document = writeDocument(get('/files/{path}', [raw]));
  await (await openRecorded(apiSpec({ baseUrl: server.origin, document }))).call('get', { path: 'a/b' });
  expect(server.requests.map(({ url }) => url)).toEqual(['/files/a%2Fb%20c', '/files/a/b']);
});

test('a parameter with reserved characters cannot set others', async () => {
  const server = await startRecording();
  const document = get('/files/{path}', [
    parameter('path', 'path', { required: true, allowReserved: true }),
    parameter('tenant', 'query'),
    parameter('theme', 'cookie', { allowReserved: true, style: 'cookie' }),
  ]);
  const { call } = await openRecorded(
    apiSpec({
      baseUrl: server.origin,
      document: writeDocument(document),
      fixed: { tenant: 'acme' },
    }),
  );
  await call('get', { path: 'a/b?tenant=evil&x=', theme: 'dark; tenant=evil' });
  const [request] = server.requests;
  expect(request?.url).toBe('/files/a/b%3Ftenant=evil%26x=?tenant=acme');
  expect(request?.headers['cookie']).toBe('theme=dark%3B%20tenant%3Devil');
});

test('members of an object cannot set parameters that callers do not set', async () => {
  const server = await startRecording();
  const document = {
    ...get(
      '/search',
      [
        { name: 'filter', in: 'query', schema: { type: 'object' } },
        { name: 'prefs', in: 'cookie', schema: { type: 'object' } },
        parameter('tenant', 'query'),
        parameter('session', 'cookie'),
      ],
      { security: [{ key: [] }] },
    ),
    components: { securitySchemes: { key: { type: 'apiKey', in: 'query', name: 'api key' } } },
  };
  const { call } = await openRecorded(
    apiSpec({
      baseUrl: server.origin,
      document: writeDocument(document),
      fixed: { tenant: 'acme', session: 'own' },
      credentials: { key: 'secret' },
    }),
  );
  for (const args of [
    { filter: { tenant: 'evil' } },
    { filter: { 'api key': 'evil' } },
    { prefs: { session: 'evil' } },
  ])
    expect(textOf(await call('get', args))).toMatch(/ must not have the member "(?:tenant|api key|session)"/);
  expect(server.requests).toEqual([]);
  await call('get', { filter: { color: 'red' }, prefs: { theme: 'dark' } });
  expect(server.requests[0]?.url).toBe('/search?color=red&tenant=acme&api%20key=secret');
  expect(server.requests[0]?.headers['cookie']).toBe('theme=dark; session=own');
});

test('headers that servers and proxies trust are not arguments', async () => {
  const server = await startRecording();
  const names = [
    'Host',
    'Authorization',
    'X-Forwarded-For',
    'Connection',
    'Cookie',
    'Content-Length',
    'X-Own',
  ];
  const document = writeDocument(
    get(
      '/x',
      [...names, 'X-Note'].map((name) => parameter(name, 'header')),
    ),
  );
  const spec = apiSpec({ document, baseUrl: server.origin }, { headers: { 'X-Own': 'configured' } });
  const { connection, call } = await openRecorded(spec);
  const { tools } = await connection.request('tools/list', undefined, PATIENCE);
  const [tool] = tools as { inputSchema: { properties: object } }[];
  expect(Object.keys(tool?.inputSchema.properties ?? {})).toEqual(['X-Note']);
  expect((await call('get', { 'X-Note': 'a\r\nX-Evil: 1' }))['isError']).toBe(true);
  await call('get', { 'X-Note': 'fine' });
  expect(server.requests).toHaveLength(1);
  expect(server.requests[0]?.headers).toMatchObject({ 'x-note': 'fine', 'x-own': 'configured' });
});

test('a redirect to another origin is returned, and gets no request', async () => {
  const other = await startRecording();
  const server = await startRecording((_, response) =>
    response.writeHead(302, { location: `${other.origin}/steal` }).end(),
  );
  const spec = apiSpec(
    { document: writeDocument(get('/x')), baseUrl: server.origin },
    { headers: { Authorization: 'Bearer secret' } },
  );
  const { call } = await openRecorded(spec);
  const result = await call('get');
  expect(result['isError']).toBe(true);
  expect(textOf(result)).toBe(`HTTP 302 Found\nLocation: ${other.origin}/steal`);
  expect(other.requests).toEqual([]);
});

test('a redirect within the origin is followed for GET only', async () => {
  const server = await startRecording(({ url }, response) =>
    url === '/new'
      ? respondJson(response, { found: true })
      : void response.writeHead(301, { location: '/new' }).end(),
  );
  const operation = { operationId: 'post', responses: {} };
  const document = get('/x');
  const paths = { '/x': { ...(document.paths['/x'] as object), post: operation } };
  const { call } = await openRecorded(
    apiSpec({ document: writeDocument({ paths }), baseUrl: server.origin }),
  );
  expect(textOf(await call('get'))).toBe('{"found":true}');
  expect(textOf(await call('post'))).toMatch(/^HTTP 301/);
});

test('a response that is too large, also only after decoding, is an error', async () => {
  const bomb = gzipSync(Buffer.alloc(30 * 1024 * 1024, 32));
  const server = await startRecording(({ url }, response) => {
    if (url === '/bomb')
      response.writeHead(200, { 'content-encoding': 'gzip', 'content-type': 'text/plain' }).end(bomb);
    else response.writeHead(200, { 'content-type': 'text/plain' }).end('x'.repeat(200_000));
  });
  const document = writeDocument({
    paths: {
      '/bomb': { get: { operationId: 'bomb', responses: {} } },
      '/large': { get: { operationId: 'large', responses: {} } },
    },
  });
  const spec = apiSpec({ document, baseUrl: server.origin });
  const { call } = await openRecorded(spec, { maxResultCharacters: 100_000 });
  await expect(call('bomb')).rejects.toThrow('larger than the maximum');
  await expect(call('large')).rejects.toThrow('larger than the maximum');
});

test('a call that gets no response ends with its timeout, or with its caller', async () => {
  const server = await startRecording(() => undefined);
  const { connection } = await openRecorded(
    apiSpec({ document: writeDocument(get('/x')), baseUrl: server.origin }),
  );
  const params = { name: 'get', arguments: {} };
  await expect(connection.request('tools/call', params, { timeoutMs: 50 })).rejects.toMatchObject({
    name: 'TimeoutFailure',
    message: 'The API did not respond to GET /x within 50 ms.',
  });
  const leave = new AbortController();
  const waiting = connection.request('tools/call', params, { ...PATIENCE, signal: leave.signal });
  leave.abort(new Error('gone'));
  await expect(waiting).rejects.toThrow('gone');
});

test('a document from the network cannot direct calls to another server', async () => {
  const other = await startRecording();
  const text = documentText({ ...get('/x'), servers: [{ url: `${other.origin}/v1` }] });
  const documents = await startRecording((_, response) => void response.end(text));
  const document = `${documents.origin}/openapi.json`;
  await expect(openRecorded(apiSpec({ document }))).rejects.toThrow(
    `the document names the server ${other.origin}, but it comes from ${documents.origin}`,
  );
  const { call } = await openRecorded(apiSpec({ document, baseUrl: `${other.origin}/v2` }));
  await call('get');
  expect(other.requests.map(({ url }) => url)).toEqual(['/v2/x']);
});

test('the relative server of a document from the network is that of the document', async () => {
  const text = documentText({ ...get('/x'), servers: [{ url: '/api' }] });
  const server = await startRecording(({ url }, response) =>
    url === '/docs/openapi.json' ? void response.end(text) : respondJson(response, {}),
  );
  const { call } = await openRecorded(apiSpec({ document: `${server.origin}/docs/openapi.json` }));
  await call('get');
  expect(server.requests.map(({ url }) => url)).toEqual(['/docs/openapi.json', '/api/x']);
});

test.each([
  ['http://169.254.169.254', 'is not an address of an API'],
  ['file:///etc', 'does not use http or https'],
  ['https://user:pass@api.example', 'contains credentials'],
  ['/relative', 'is not an absolute URL'],
])('the server %s in a file is rejected', async (url, reason) => {
  const document = writeDocument({ ...get('/x'), servers: [{ url }] });
  await expect(openRecorded(apiSpec({ document }))).rejects.toThrow(reason);
});

test('an operation with a server of its own requires a setting, and is left out alone', async () => {
  const other = await startRecording();
  const server = await startRecording();
  const document = writeDocument({
    paths: {
      '/x': { get: { operationId: 'own', responses: {} } },
      '/y': { get: { operationId: 'other', servers: [{ url: other.origin }], responses: {} } },
    },
  });
  const strict = await openRecorded(apiSpec({ document, baseUrl: server.origin }));
  expect(strict.connection.warnings?.()).toEqual([
    `GET /y is not a tool: its server ${other.origin} is not the API's; if you trust it, add it to api.origins`,
  ]);
  const { call } = await openRecorded(apiSpec({ document, baseUrl: server.origin, origins: [other.origin] }));
  await call('other');
  expect(other.requests).toHaveLength(1);
});

test('references lead only to files in the folder of the document', async () => {
  const outside = temporaryFolder();
  writeFileSync(join(outside, 'secret.json'), '{"type":"string","description":"secret"}');
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'parts'));
  writeFileSync(join(folder, 'parts', 'good.yaml'), 'Name:\n  type: string\n  maxLength: 7\n');
  symlinkSync(join(outside, 'secret.json'), join(folder, 'link.json'));
  const operation = (operationId: string, $ref: string) => ({
    get: { operationId, parameters: [{ name: 'p', in: 'query', schema: { $ref } }], responses: {} },
  });
  const document = join(folder, 'openapi.json');
  writeFileSync(
    document,
    documentText({
      paths: {
        '/good': operation('good', 'parts/good.yaml#/Name'),
        '/up': operation('up', `../${outside.split('/').at(-1)}/secret.json`),
        '/link': operation('link', 'link.json'),
        '/url': operation('url', 'http://127.0.0.1:1/schema.json'),
        '/absolute': operation('absolute', join(outside, 'secret.json')),
      },
    }),
  );
  const { connection } = await openRecorded(apiSpec({ document, baseUrl: 'http://127.0.0.1:1' }));
  const { tools } = await connection.request('tools/list', undefined, PATIENCE);
  expect(tools).toMatchObject([
    { name: 'good', inputSchema: { properties: { p: { type: 'string', maxLength: 7 } } } },
  ]);
  expect(connection.warnings?.()).toHaveLength(4);
  expect(JSON.stringify(connection.warnings?.())).not.toContain('"secret"');
});

test('a document from the network cannot refer to files', async () => {
  const text = documentText(get('/x', [{ name: 'p', in: 'query', schema: { $ref: '/etc/passwd' } }]));
  const server = await startRecording((_, response) => void response.end(text));
  await expect(openRecorded(apiSpec({ document: `${server.origin}/o.json` }))).rejects.toThrow(
    'requires a document in a local file',
  );
});
