import { describe, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [
    serverSpec('echo', 'echo'),
    serverSpec('camel', 'camel-case-tools'),
    serverSpec('few', 'echo', { tools: { allow: ['ad*', 'env'], deny: ['env'] } }),
    serverSpec('none', 'echo', { tools: { allow: ['nothing'], deny: [] } }),
    serverSpec('reader', 'echo', { readOnly: true }),
  ],
}));

const TOOLS = '/api/v1/servers/echo/tools';
const toolOf = async (name: string, query = ''): Promise<Record<string, unknown>> => {
  const { body } = await api().get(`${TOOLS}${query}`);
  return body.tools.find((tool: { name: string }) => tool.name === name);
};
const namesOf = async (server: string): Promise<string[]> => {
  const { body } = await api().get(`/api/v1/servers/${server}/tools?detail=minimal`);
  return body.tools.map(({ name }: { name: string }) => name);
};

describe('the detail level of tools', () => {
  test('tools are listed in full by default', async () => {
    const expected = {
      name: 'add',
      description: 'Adds two numbers.',
      title: 'Adder',
      inputSchema: {
        type: 'object',
        properties: { a: { type: 'number' }, b: { type: 'number' } },
        required: ['a', 'b'],
      },
      annotations: { readOnlyHint: true },
    };
    for (const query of ['', '?detail=', '?detail=full', '?detail=FULL', '?detail=%20Full%20']) {
      const tool = await toolOf('add', query);
      expect(tool).toEqual(expected);
      expect(Object.keys(tool)).toEqual(Object.keys(expected));
    }
  });

  test('tools can be listed with less detail and a separate schema', async () => {
    expect(await toolOf('add', '?detail=summary')).toEqual({
      name: 'add',
      title: 'Adder',
      description: 'Adds two numbers.',
    });
    expect(await toolOf('add', '?detail=Minimal')).toEqual({ name: 'add', title: 'Adder' });
    expect(await toolOf('echo', '?detail=minimal')).toEqual({ name: 'echo' });
    const { body, headers } = await api().get(`${TOOLS}?detail=minimal`);
    expect(Object.entries(body)[0]).toEqual([
      '$schema',
      'http://localhost/schemas/ToolsResponseBodyToolMinimal.json',
    ]);
    expect(headers.get('Link')).toBe('</schemas/ToolsResponseBodyToolMinimal.json>; rel="describedBy"');
  });

  test('an unknown detail level returns 422 with the valid levels', async () => {
    const { status, body } = await api().get(`${TOOLS}?detail=bogus`);
    expect(status).toBe(422);
    expect(body.detail).toBe('detail must be one of minimal, summary, full, not "bogus"');
    expect(body.errors).toEqual([{ message: body.detail, location: 'query.detail', value: 'bogus' }]);
  });
});

test("a tool's own title takes precedence over its annotations", async () => {
  expect(await toolOf('structured')).toMatchObject({ title: 'Structure' });
});

test('the full schema is kept in `_meta`, and references in the listed schema are resolved', async () => {
  const tool = await toolOf('schema');
  expect(tool['inputSchema']).toEqual({
    type: 'object',
    properties: { place: { type: 'object', properties: { city: { type: 'string' } } } },
    required: ['place'],
  });
  expect(tool['_meta']).toEqual({
    kept: true,
    'mcp-manager/inputSchema': {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      additionalProperties: false,
      properties: { place: { $ref: '#/$defs/place' } },
      required: ['place'],
      $defs: { place: { type: 'object', properties: { city: { type: 'string' } } } },
    },
  });
  expect(await toolOf('echo')).not.toHaveProperty('_meta');
  expect((await toolOf('structured'))['outputSchema']).toEqual({
    type: 'object',
    properties: { city: { type: 'string' } },
  });
});

test("tools are listed in their server's spelling and can be called in any case", async () => {
  const names = await namesOf('camel');
  expect(names).toEqual(['getWeather', 'Get_Time', 'LIST-ALL']);
  for (const name of names) {
    for (const spelling of [name, name.toLowerCase(), name.toUpperCase()]) {
      const { body } = await api().post(`/api/v1/servers/camel/tools/${spelling}`, {});
      expect(body).toContain(name);
    }
  }
});

test('lists contain only allowed items', async () => {
  expect(await namesOf('few')).toEqual(['add']);
  expect(await namesOf('reader')).not.toContain('log');
  expect(await namesOf('reader')).toContain('echo');
  expect(await api().get('/api/v1/servers/none/tools')).toMatchObject({
    status: 404,
    body: { title: 'Not Found', status: 404, detail: 'tools not found: none' },
  });
  expect(await api().post('/api/v1/servers/echo/tools/nothing', {})).toMatchObject({
    status: 404,
    body: { title: 'Not Found', detail: 'tool not found: echo/nothing' },
  });
  for (const [server, tool] of [
    ['few', 'env'],
    ['few', 'nothing'],
    ['reader', 'log'],
  ]) {
    expect(await api().post(`/api/v1/servers/${server}/tools/${tool}`, {})).toMatchObject({
      status: 403,
      body: { title: 'Forbidden', detail: `tool not allowed: ${server}/${tool}` },
    });
  }
});

test('server names are compared without regard to case and surrounding spaces', async () => {
  for (const name of ['echo', 'ECHO', '%20Echo%20', 'e%63ho']) {
    for (const path of [`servers/${name}/tools`, `servers/${name}/prompts`, `health/servers/${name}`]) {
      expect([path, (await api().get(`/api/v1/${path}`)).status]).toEqual([path, 200]);
    }
    expect((await api().post(`/api/v1/servers/${name}/tools/echo`, { message: 'x' })).body).toBe('x');
  }
  expect((await api().get('/api/v1/health/servers/ECHO')).body.name).toBe('echo');
});

test('errors show unknown servers as the client wrote them', async () => {
  for (const [path, name] of [
    ['Nobody', 'Nobody'],
    ['a%2Fb', 'a/b'],
    ['%F0%9F%92%A9', '💩'],
    ['%2525', '%25'],
    ['%ff', '%ff'],
  ]) {
    expect(await api().get(`/api/v1/servers/${path}/tools`)).toMatchObject({
      status: 404,
      body: { detail: `server not found: ${name}` },
    });
  }
});
