import { expect, test } from 'vitest';
import { Ajv } from 'ajv';
import { openRecorded, PATIENCE, type Recorded, textOf } from '../open-recorded.ts';
import { apiSpec, respondJson, startRecording } from './recording-server.ts';
import { type Document, writeDocument } from './write-document.ts';

const json = (schema: unknown) => ({ content: { 'application/json': { schema } } });
const ok = (schema: unknown) => ({ responses: { 200: { description: 'OK', ...json(schema) } } });
const ISSUE = {
  type: 'object',
  required: ['id', 'title'],
  properties: {
    id: { type: 'integer' },
    title: { type: 'string' },
    closed: { type: 'boolean' },
    password: { type: 'string', writeOnly: true },
  },
};

async function openDocument(
  document: Document,
  { respond, ...settings }: Parameters<typeof start>[1] = {},
): Promise<Recorded & Awaited<ReturnType<typeof start>>> {
  const started = await start(document, { respond, ...settings });
  return { ...started, ...(await openRecorded(started.spec)) };
}

type Settings = Partial<Parameters<typeof apiSpec>[0]> & {
  readonly respond?: Parameters<typeof startRecording>[0];
  readonly launch?: Parameters<typeof apiSpec>[1];
};

async function start(document: Document, { respond, launch, ...settings }: Settings) {
  const server = await startRecording(respond);
  const path = writeDocument(document);
  return { server, spec: apiSpec({ baseUrl: server.origin, ...settings, document: path }, launch) };
}

const toolsOf = async ({ connection }: Recorded): Promise<readonly Record<string, unknown>[]> =>
  (await connection.request('tools/list', undefined, PATIENCE))['tools'] as Record<string, unknown>[];

test('an operation is a tool with its arguments, its result and its effects', async () => {
  const api = await openDocument({
    paths: {
      '/issues/{id}': {
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer' } }],
        get: { operationId: 'issues/get', summary: 'Get an issue', ...ok(ISSUE) },
        delete: { operationId: 'issues/delete', responses: {} },
      },
    },
  });
  const [get, remove] = await toolsOf(api);
  expect(get).toEqual({
    name: 'issues_get',
    title: 'Get an issue',
    description: 'Get an issue\n(GET /issues/{id})',
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'integer' } },
      required: ['id'],
      additionalProperties: false,
    },
    outputSchema: {
      type: 'object',
      properties: {
        id: { type: ['integer', 'null'] },
        title: { type: ['string', 'null'] },
        closed: { type: ['boolean', 'null'] },
      },
    },
    annotations: { readOnlyHint: true, openWorldHint: true },
  });
  expect(remove).toMatchObject({
    annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: true },
  });
  expect(api.connection.peer).toMatchObject({ name: 'Test', protocolVersion: 'OpenAPI 3.1.0' });
});

test('structured content matches its schema although the API differs from its document', async () => {
  const body = { id: 12_345_678_901_234_567_890n, title: 7, closed: null, extra: [1] };
  const text = `{"id":${body.id},"title":7,"closed":null,"extra":[1]}`;
  const api = await openDocument(
    { paths: { '/issue': { get: { operationId: 'get', ...ok(ISSUE) } } } },
    {
      respond: (_, response) =>
        void response.writeHead(200, { 'content-type': 'application/json' }).end(text),
    },
  );
  const result = await api.call('get');
  expect(textOf(result)).toBe(text);
  expect(JSON.stringify(result['structuredContent'])).toBe(`{"id":${body.id},"closed":null,"extra":[1]}`);
  const [tool] = await toolsOf(api);
  const validate = new Ajv({ strict: false }).compile(tool?.['outputSchema'] as object);
  expect(validate(JSON.parse(JSON.stringify(result['structuredContent'])))).toBe(true);
});

test('the next page of a list is the arguments that request it', async () => {
  const api = await openDocument(
    {
      paths: {
        '/issues': {
          get: {
            operationId: 'list',
            parameters: [{ name: 'page', in: 'query', schema: { type: 'integer' } }],
            ...ok({ type: 'array', items: ISSUE }),
          },
        },
      },
    },
    {
      respond: ({ url }, response) =>
        respondJson(
          response,
          [{ id: 1 }],
          url.includes('page=2') ? {} : { link: '</issues?page=2&token=x>; rel="next"' },
        ),
    },
  );
  const first = await api.call('list');
  expect(first).toMatchObject({
    structuredContent: { items: [{ id: 1 }], next_page: { page: '2' } },
    content: [{ text: '[{"id":1}]' }, { text: 'Next page: call the tool again with {"page":"2"}.' }],
  });
  const { next_page: next } = first['structuredContent'] as { next_page: Record<string, unknown> };
  expect(await api.call('list', next)).toMatchObject({ structuredContent: { items: [{ id: 1 }] } });
  expect(api.server.requests.at(-1)?.url).toBe('/issues?page=2');
});

test('an error status is a tool error with the status and the body', async () => {
  const api = await openDocument(
    { paths: { '/x': { get: { operationId: 'get', ...ok(ISSUE) } } } },
    {
      respond: (_, response) =>
        void response
          .writeHead(429, { 'retry-after': '7', 'content-type': 'text/plain' })
          .end('x'.repeat(100_000)),
    },
  );
  const result = await api.call('get');
  expect(result['isError']).toBe(true);
  expect(textOf(result)).toMatch(/^HTTP 429 Too Many Requests\nRetry-After: 7\nx+…$/);
  expect(textOf(result).length).toBeLessThan(17_000);
});

test.each([
  ['text/csv; charset=iso-8859-1', Buffer.from([0x61, 0x2c, 0xe9]), { type: 'text', text: 'a,é' }],
  ['image/png', Buffer.from([1, 2]), { type: 'image', data: 'AQI=', mimeType: 'image/png' }],
  [
    'application/pdf',
    Buffer.from([1, 2]),
    {
      type: 'resource',
      resource: { uri: 'openapi://server/get', mimeType: 'application/pdf', blob: 'AQI=' },
    },
  ],
  ['application/json', Buffer.from('{broken'), { type: 'text', text: '{broken' }],
])('a response of the type %s keeps its content', async (type, body, content) => {
  const api = await openDocument(
    { paths: { '/x': { get: { operationId: 'get', responses: {} } } } },
    { respond: (_, response) => void response.writeHead(200, { 'content-type': type }).end(body) },
  );
  expect(await api.call('get')).toEqual({ content: [content] });
});

test('an empty response of a tool with an output schema has structured content', async () => {
  const api = await openDocument(
    { paths: { '/x': { get: { operationId: 'get', ...ok(ISSUE) } } } },
    { respond: (_, response) => void response.writeHead(204).end() },
  );
  expect(await api.call('get')).toEqual({
    content: [{ type: 'text', text: 'HTTP 204 No Content' }],
    structuredContent: {},
  });
});

test('invalid arguments are tool errors that name the way out', async () => {
  const api = await openDocument({
    paths: {
      '/x/{id}': {
        get: {
          operationId: 'get',
          parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
          responses: {},
        },
      },
    },
  });
  expect(textOf(await api.call('get', {}))).toBe('Missing required argument: id.');
  expect(textOf(await api.call('get', { id: '1', limits: 5 }))).toBe(
    'Unknown argument "limits". Did you mean "limit"?',
  );
  expect(api.server.requests).toEqual([]);
  await expect(api.call('other')).rejects.toThrow('Unknown tool: other');
});

test('files of a form are sent as they are', async () => {
  const form = {
    type: 'object',
    properties: {
      file: { type: 'string', format: 'binary' },
      more: { type: 'array', items: { type: 'string', format: 'binary' } },
      meta: { type: 'object' },
      tags: { type: 'array', items: { type: 'string' } },
    },
  };
  const api = await openDocument({
    paths: {
      '/upload': {
        post: {
          operationId: 'upload',
          requestBody: { content: { 'multipart/form-data': { schema: form } } },
          responses: {},
        },
      },
    },
  });
  const bytes = Buffer.from([0, 255, 13, 10, 45, 45]);
  const result = await api.call('upload', {
    body: {
      file: { data: bytes.toString('base64'), filename: 'a"\r\nb.bin', content_type: 'image/png' },
      more: [{ data: 'eA==' }],
      meta: { a: 1 },
      tags: ['x', 'é'],
    },
  });
  expect(result).not.toHaveProperty('isError');
  const [request] = api.server.requests;
  const form2 = await new Response(new Uint8Array(request?.body ?? []), {
    headers: { 'content-type': String(request?.headers['content-type']) },
  }).formData();
  const file = form2.get('file') as File;
  expect([file.name, file.type]).toEqual(['a"\r\nb.bin', 'image/png']);
  expect(Buffer.from(await file.arrayBuffer())).toEqual(bytes);
  expect(await (form2.get('more') as File).text()).toBe('x');
  expect(form2.getAll('tags')).toEqual(['x', 'é']);
  expect(form2.get('meta')).toBe('{"a":1}');
  expect(textOf(await api.call('upload', { body: { file: { data: '%%%' } } }))).toBe(
    '"file" is not valid base64. Encode the content of the file.',
  );
});

const SCHEMES = {
  key: { type: 'apiKey', in: 'query', name: 'key' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'sid' },
  basic: { type: 'http', scheme: 'basic' },
  bearer: { type: 'http', scheme: 'bearer' },
};
const secured = (security: unknown) => ({ operationId: 'get', security, responses: {} });

test.each([
  [{ key: 'a b' }, [{ key: [] }], '/x?key=a%20b', {}],
  [{ header: 'h' }, [{ header: [] }], '/x', { 'x-key': 'h' }],
  [{ cookie: 'c' }, [{ cookie: [] }], '/x', { cookie: 'sid=c' }],
  [{ basic: 'user:pass' }, [{ basic: [] }], '/x', { authorization: 'Basic dXNlcjpwYXNz' }],
  [{ bearer: 't' }, [{ header: [] }, { bearer: [] }], '/x', { authorization: 'Bearer t' }],
  [{ header: 'h', cookie: 'c' }, [{ header: [], cookie: [] }], '/x', { 'x-key': 'h', cookie: 'sid=c' }],
])('credentials %o are sent as the operation requires', async (credentials, security, url, headers) => {
  const document = { components: { securitySchemes: SCHEMES }, paths: { '/x': { get: secured(security) } } };
  const api = await openDocument(document, { credentials });
  await api.call('get');
  expect(api.server.requests[0]?.url).toBe(url);
  expect(api.server.requests[0]?.headers).toMatchObject(headers);
});

test('an operation without security gets no credentials, and callers cannot set them', async () => {
  const key = { name: 'X-Key', in: 'header', required: true, schema: { type: 'string' } };
  const api = await openDocument(
    {
      components: { securitySchemes: SCHEMES },
      security: [{ header: [] }],
      paths: {
        '/open': { get: { operationId: 'open', security: [], responses: {} } },
        '/closed': { get: { operationId: 'closed', parameters: [key], responses: {} } },
      },
    },
    { credentials: { header: 'secret' } },
  );
  await api.call('open');
  await api.call('closed');
  expect(textOf(await api.call('closed', { 'X-Key': 'other' }))).toMatch(/^Unknown argument/);
  expect(api.server.requests.map(({ headers }) => headers['x-key'])).toEqual([undefined, 'secret']);
});

test('without credentials, status 401 names the scheme that they are missing for', async () => {
  const document = {
    components: { securitySchemes: SCHEMES },
    paths: { '/x': { get: secured([{ header: [] }]) } },
  };
  const api = await openDocument(document, { respond: (_, response) => void response.writeHead(401).end() });
  expect(JSON.stringify(await api.call('get'))).toContain('no credentials for header');
});

test('OAuth client credentials get a token for the API', async () => {
  const api = await openDocument(
    {
      components: { securitySchemes: { login: { type: 'oauth2', flows: {} } } },
      paths: { '/x': { get: secured([{ login: [] }]) } },
    },
    { respond: (_, response) => respondJson(response, { access_token: 'token-1', token_type: 'Bearer' }) },
  );
  const { server } = api;
  const oauth = {
    grant: 'client_credentials',
    clientId: 'robot',
    clientSecret: 'secret',
    tokenUrl: `${server.origin}/token`,
  } as const;
  const { call } = await openRecorded({
    ...api.spec,
    launch: { ...api.spec.launch, url: server.origin, oauth } as typeof api.spec.launch,
  });
  await call('get');
  expect(server.requests.map(({ url }) => url)).toEqual(['/token', '/x']);
  expect(server.requests[1]?.headers.authorization).toBe('Bearer token-1');
});

test('fixed parameters are sent, and are not arguments', async () => {
  const version = { name: 'api-version', in: 'query', required: true, schema: { type: 'string' } };
  const api = await openDocument(
    { paths: { '/x': { get: { operationId: 'get', parameters: [version], responses: {} } } } },
    { fixed: { 'api-version': '2026-01' } },
  );
  const [tool] = await toolsOf(api);
  expect(tool?.['inputSchema']).toEqual({ type: 'object', properties: {}, additionalProperties: false });
  await api.call('get');
  expect(api.server.requests[0]?.url).toBe('/x?api-version=2026-01');
});

test('filters select operations by ID, tag, method and path', async () => {
  const operation = (operationId: string, tags: string[] = []) => ({ operationId, tags, responses: {} });
  const document = {
    paths: {
      '/a/{x}': { get: operation('a/get', ['first']), delete: operation('a/delete', ['first']) },
      '/b': { get: operation('b/get'), post: operation('b/create') },
    },
  };
  const names = async (filters: Settings): Promise<unknown[]> =>
    (await toolsOf(await openDocument(document, filters))).map(({ name }) => name);
  expect(await names({ include: ['tag:first'] })).toEqual(['a_get', 'a_delete']);
  expect(await names({ exclude: ['DELETE *', 'b/*'] })).toEqual(['a_get']);
  expect(await names({ include: ['GET /*'] })).toEqual(['a_get', 'b_get']);
  expect(await names({ include: ['/b'] })).toEqual(['b_get', 'b_create']);
  await expect(openDocument(document, { include: ['none'] })).rejects.toThrow('select none of them');
});

test('an operation with a problem is left out alone, and is reported', async () => {
  const api = await openDocument({
    paths: {
      '/good': { get: { operationId: 'good', responses: {} } },
      '/bad': {
        post: {
          operationId: 'bad',
          requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/None' } } } },
          responses: {},
        },
      },
    },
  });
  expect((await toolsOf(api)).map(({ name }) => name)).toEqual(['good']);
  const sentence = 'POST /bad is not a tool: "#/components/schemas/None" does not exist';
  expect(api.connection.warnings?.()).toEqual([sentence]);
  expect(api.logs).toContain(sentence);
});
