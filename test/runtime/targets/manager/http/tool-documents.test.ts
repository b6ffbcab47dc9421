import SwaggerParser from '@apidevtools/swagger-parser';
import { describe, expect, test } from 'vitest';
import { keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { useApi } from './use-api.ts';

const REFERENCES = {
  type: 'object',
  $id: 'https://evil.example/schema',
  properties: {
    place: { $ref: '#/$defs/place' },
    tree: { $ref: '#/$defs/tree' },
    far: { $ref: 'https://evil.example/other.json', description: 'far' },
    none: { $ref: '#/$defs/nothing' },
  },
  $defs: {
    place: { type: 'object', properties: { city: { type: 'string' } } },
    tree: { type: 'object', properties: { child: { $ref: '#/$defs/tree' } } },
  },
};

const OLD_DRAFTS = {
  type: 'object',
  properties: {
    age: { type: 'integer', minimum: 0, exclusiveMinimum: true, required: true },
    pair: { type: 'array', items: [{ type: 'string' }, { type: 'number' }], additionalItems: false },
    any: { type: 'any', enum: [], anyOf: [], description: 'anything' },
    name: { type: ['string', 'file'], pattern: '^a', id: 'name', discriminator: 'x' },
    bad: { type: 'string', minLength: -1 },
  },
  dependencies: { age: ['name'], pair: { required: ['age'] } },
  required: ['age', 'age'],
};

const NAMES = [
  '..',
  '.',
  'a/b',
  'read file',
  '{id}',
  '__proto__',
  'ünï',
  'x'.repeat(300),
  'Echo',
  'echo',
  'a b?c#d',
];

const TOOLS = [
  {
    name: 'references',
    inputSchema: REFERENCES,
    outputSchema: { type: 'object', properties: { a: { type: 'integer' } } },
  },
  { name: 'old', title: 'Old drafts', description: 'Old.', inputSchema: OLD_DRAFTS },
  ...NAMES.map((name) => ({ name, inputSchema: { type: 'object' } })),
];
/** A tool that the fixture adds itself. */
const LISTED = [...TOOLS.map(({ name }) => name), 'answer'];

const api = useApi(() => ({
  servers: [
    serverSpec('hostile', 'malformed', { env: { TOOLS: JSON.stringify(TOOLS) } }),
    serverSpec('echo', 'echo'),
    serverSpec('bare', 'echo', { tools: { allow: [], deny: [] } }),
  ],
  keys: [keyOf('full'), keyOf('narrow', { tools: ['echo/add'] })],
}));
const as = (key: string): Record<string, string> => ({ authorization: `Bearer ${key}` });

describe('the document for malicious tools', () => {
  test('the document is valid, has no external references, and has one operation per tool', async () => {
    const { status, headers, body } = await api().get('/openapi/hostile.json', as('full'));
    expect([status, headers.get('content-type')]).toEqual([200, 'application/openapi+json']);
    const { paths } = await SwaggerParser.validate(structuredClone(body));
    expect(Object.keys(paths ?? {})).toHaveLength(LISTED.length);
    expect(JSON.stringify(body)).not.toContain('evil.example');
    const refs = [...JSON.stringify(body.paths).matchAll(/"\$ref":"([^"]*)"/g)].map(([, ref]) => ref);
    expect(new Set(refs)).toEqual(new Set(['#/components/schemas/ErrorModel']));
    for (const [path, { post }] of Object.entries<{ post: { operationId: string } }>(body.paths)) {
      expect(path).toMatch(/^\/[\w.-]{1,128}$/);
      expect(path).toBe(`/${post.operationId}`);
    }
    const named = Object.values<{ post: Record<string, unknown> }>(body.paths).map(
      ({ post }) => post['x-mcp-tool'] ?? post['operationId'],
    );
    expect(new Set(named)).toEqual(new Set(LISTED));
  });

  test('schemas in the document have no references and follow the current JSON Schema draft', async () => {
    const { body } = await api().get('/openapi/hostile/openapi.json', as('full'));
    const schemaOf = (path: string): unknown =>
      body.paths[path].post.requestBody.content['application/json'].schema;
    expect(schemaOf('/references')).toEqual({
      type: 'object',
      properties: {
        place: { type: 'object', properties: { city: { type: 'string' } } },
        tree: { type: 'object', properties: { child: { type: 'object' } } },
        far: { description: 'far' },
        none: {},
      },
    });
    expect(schemaOf('/old')).toEqual({
      type: 'object',
      properties: {
        age: { type: 'integer', exclusiveMinimum: 0 },
        pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
        any: { description: 'anything' },
        name: { type: ['string'], pattern: '^a' },
        bad: {},
      },
      required: ['age'],
    });
    const { post } = body.paths['/old'];
    expect([post.summary, post.description, post.requestBody.required]).toEqual(['Old drafts', 'Old.', true]);
    expect(body.paths['/references'].post.responses[200].content['application/json'].schema).toEqual({
      anyOf: [{ type: 'object', properties: { a: { type: 'integer' } } }, {}],
    });
  });

  test("the document's paths call the tools", async () => {
    const { body } = await api().get('/openapi/hostile.json', as('full'));
    const paths = Object.keys(body.paths).filter((path) => path !== '/answer');
    const called = await Promise.all(
      paths.map((path) => api().post(`/openapi/hostile${path}`, {}, as('full'))),
    );
    // Each tool returns the name under which it was called.
    expect(called.map((answer) => answer.body)).toEqual(TOOLS.map(({ name }) => name));
  });
});

describe("calls through the document's paths", () => {
  const call = async (tool: string, args: unknown): Promise<unknown> => {
    const { status, body } = await api().post(`/openapi/echo/${tool}`, args, as('full'));
    return status === 200 ? body : [status, body.detail];
  };

  test.each([
    ['text', 'echo', { message: 'two words' }, 'two words'],
    ['text that contains JSON', 'echo', { message: ' {"a": [1, null]}' }, { a: [1, null] }],
    ['empty text', 'echo', { message: '' }, ''],
    ['a number', 'add', { a: 40, b: 2 }, 42],
    ['structured content', 'structured', {}, { city: 'Oslo', degrees: 3.5 }],
    ['an image', 'image', {}, expect.stringMatching(/^data:image\/png;base64,iVBOR/)],
    ['several content blocks', 'blocks', {}, ['one', expect.stringMatching(/^data:image/), 'two']],
    ['an error for a failure', 'is-error', { message: 'no' }, [502, 'MCP server error calling tool']],
    ['an error for an unknown tool', 'nothing', {}, [404, 'tool not found: echo/nothing']],
  ])('a call returns %s', async (_what, tool, args, expected) => {
    expect(await call(tool, args)).toEqual(expected);
  });

  test('calls keep all digits of numbers, and require a body only for arguments', async () => {
    const { text } = await api().post('/openapi/echo/number', '{"value":0.10000000000000000001}', as('full'));
    expect(text).toBe('{"value":0.10000000000000000001}');
    expect((await api().post('/openapi/echo/structured', undefined, as('full'))).body).toMatchObject({
      city: 'Oslo',
    });
    expect((await api().post('/openapi/echo/echo', '[1]', as('full'))).status).toBe(422);
  });

  test('a key can see and call only its own tools', async () => {
    expect((await api().get('/openapi/echo.json')).status).toBe(401);
    const { body } = await api().get('/openapi/echo.json', as('narrow'));
    expect(Object.keys(body.paths)).toEqual(['/add']);
    expect(body.security).toEqual([{ apiKey: [] }]);
    expect((await api().post('/openapi/echo/echo', {}, as('narrow'))).status).toBe(403);
    expect((await api().get('/openapi/hostile.json', as('narrow'))).body).toMatchObject({
      detail: expect.stringMatching(/hostile/) as string,
    });
  });

  test('a server without tools has a document without operations', async () => {
    const { status, body } = await api().get('/openapi/bare.json', as('full'));
    expect([status, body.paths]).toEqual([200, {}]);
  });
});
