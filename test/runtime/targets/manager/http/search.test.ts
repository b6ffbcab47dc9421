import { expect, test } from 'vitest';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { useApi } from './use-api.ts';

const headers = { Authorization: bearer('mcpm_all') };
const api = useApi(() => ({
  servers: [serverSpec('echo', 'echo'), serverSpec('camel', 'camel-case-tools')],
  keys: [
    keyOf('mcpm_all'),
    keyOf('mcpm_echo', { servers: ['echo'] }),
    keyOf('mcpm_camel', { servers: ['camel'] }),
  ],
}));

const search = (query: string, as = headers, list = 'tools') => api().get(`/api/v1/${list}${query}`, as);

test('tools of all servers are found by their purpose, best first', async () => {
  const { body } = await search('?q=weather');
  expect(body.$schema).toBe('http://localhost/schemas/FoundTools.json');
  expect(body.tools[0]).toMatchObject({
    server: 'camel',
    name: 'getWeather',
    description: expect.any(String),
  });
  const { body: adding } = await search('?q=adds+two+numbers&limit=1');
  expect(adding.tools).toEqual([
    { server: 'echo', name: 'add', title: 'Adder', description: 'Adds two numbers.' },
  ]);
  expect((await search('?q=zzzzzz')).body.tools).toEqual([]);
});

test('only tools that the caller can use are found', async () => {
  const { body } = await search('?q=weather', { Authorization: bearer('mcpm_echo') });
  expect(body.tools.filter(({ server }: { server: string }) => server !== 'echo')).toEqual([]);
});

test.each(['', '?q=', '?q=%20', '?q=x&limit=0', '?q=x&limit=many'])(
  'the query "%s" returns 422',
  async (query) => {
    const { status, body } = await search(query);
    expect([status, body.errors[0].location]).toEqual([422, expect.stringMatching(/^query\.(q|limit)$/)]);
  },
);

test('prompts of all servers are found by their descriptions and arguments', async () => {
  const { body } = await search('?q=greets&limit=1', headers, 'prompts');
  expect(body).toMatchObject({
    $schema: 'http://localhost/schemas/FoundPrompts.json',
    prompts: [{ server: 'echo', name: 'greet', arguments: [{ name: 'name' }] }],
  });
  expect(
    (await search('?q=greets', { Authorization: bearer('mcpm_camel') }, 'prompts')).body.prompts,
  ).toEqual([]);
});

test('resources and templates of all servers are found by their names and URIs', async () => {
  const { body } = await search('?q=memo', headers, 'resources');
  expect(body.resources).toContainEqual(expect.objectContaining({ server: 'echo', uri: 'memo://one' }));
  expect(body.resources).toContainEqual(
    expect.objectContaining({ server: 'echo', uriTemplate: expect.stringContaining('memo://') }),
  );
  expect((await search('', headers, 'resources')).status).toBe(422);
});
