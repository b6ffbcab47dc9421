import { describe, expect, test } from 'vitest';
import {
  generatedPromptView,
  serverPromptView,
  contentView,
  resourceView,
} from '#manager/http/views/resource-view.ts';
import { serverSpec } from '../server-spec.ts';
import { useApi } from './use-api.ts';

const api = useApi(() => ({
  servers: [
    serverSpec('echo', 'echo'),
    serverSpec('paged', 'echo', { env: { PAGE_SIZE: '2' } }),
    serverSpec('empty', 'empty-text-resource'),
    serverSpec('few', 'echo', {
      prompts: { allow: ['greet'], deny: [] },
      resources: { allow: ['memo://one'], deny: [] },
    }),
  ],
}));

describe('prompts', () => {
  test('prompts are listed with the documented members', async () => {
    const { body, headers } = await api().get('/api/v1/servers/echo/prompts');
    expect(body).toEqual({
      $schema: 'http://localhost/schemas/Prompts.json',
      prompts: [
        { name: 'greet', description: 'Greets someone.', arguments: [{ name: 'name', required: true }] },
        { name: 'plain', description: 'Takes nothing.' },
        { name: 'Picture', arguments: [{ name: 'of', description: 'What is on it.' }] },
      ],
    });
    expect(headers.get('Link')).toBe('</schemas/Prompts.json>; rel="describedBy"');
  });

  test('prompts are rendered', async () => {
    for (const body of [{ arguments: { name: 'Ada' } }, { $schema: 'any', arguments: { name: 'Ada' } }]) {
      expect((await api().post('/api/v1/servers/echo/prompts/greet', body)).body).toEqual({
        $schema: 'http://localhost/schemas/GeneratePromptResponseBody.json',
        description: 'About greet.',
        messages: [{ role: 'user', content: { type: 'text', text: 'greet {"name":"Ada"}' } }],
      });
    }
    expect((await api().post('/api/v1/servers/echo/prompts/plain', {})).status).toBe(200);
  });

  test('an unknown prompt returns 404', async () => {
    expect((await api().post('/api/v1/servers/echo/prompts/nothing', {})).status).toBe(404);
  });

  test('prompt messages are passed on with any content', () => {
    const content = { type: 'of tomorrow', anything: [1] };
    expect(generatedPromptView({ messages: [{ role: 'assistant', content, more: 1 }] })).toEqual({
      messages: [{ role: 'assistant', content }],
    });
    expect(generatedPromptView({})).toEqual({ messages: [] });
    expect(
      serverPromptView({ name: 'x', title: 'X', arguments: [], description: '', _meta: { a: 1 } }),
    ).toEqual({
      name: 'x',
      _meta: { a: 1 },
    });
  });
});

describe('resources', () => {
  test('resources are listed with the documented members', async () => {
    expect((await api().get('/api/v1/servers/echo/resources')).body).toEqual({
      $schema: 'http://localhost/schemas/Resources.json',
      resources: [
        { uri: 'memo://one', name: 'one', description: 'A text.', mimeType: 'text/plain' },
        { uri: 'memo://blob', name: 'blob', mimeType: 'application/octet-stream' },
        { uri: 'memo://empty', name: 'empty', mimeType: 'text/plain' },
      ],
    });
    expect((await api().get('/api/v1/servers/echo/resources/templates')).body).toEqual({
      $schema: 'http://localhost/schemas/ResourceTemplates.json',
      templates: [
        {
          uriTemplate: 'memo://{name}',
          name: 'memo',
          description: 'A memo by its name.',
          mimeType: 'text/plain',
        },
        { uriTemplate: 'note://{day}/{hour}', name: 'note' },
      ],
    });
    expect(resourceView({ uri: 'a:b', size: 7, title: 'x' })).toEqual({ uri: 'a:b', name: 'a:b' });
  });

  const read = (server: string, uri: string) =>
    api().get(`/api/v1/servers/${server}/resources/content?uri=${encodeURIComponent(uri)}`);

  test('resources are read', async () => {
    const { body, headers } = await read('echo', 'memo://one');
    expect(body).toEqual([{ uri: 'memo://one', mimeType: 'text/plain', text: 'The first memo.' }]);
    expect(headers.get('Link')).toBe(null);
    expect((await read('echo', 'memo://blob')).body).toEqual([
      { uri: 'memo://blob', mimeType: 'application/octet-stream', blob: 'AAEC' },
    ]);
  });

  test('an empty resource is returned', async () => {
    expect((await read('empty', 'memo://empty')).body).toEqual([
      expect.objectContaining({ uri: 'memo://empty', text: '' }),
    ]);
    expect((await read('empty', 'memo://empty-blob')).body).toEqual([
      expect.objectContaining({ uri: 'memo://empty-blob', blob: '' }),
    ]);
    expect(await read('empty', 'memo://none')).toMatchObject({ status: 200, body: [] });
    expect(contentView({ uri: 'a:b', text: '', _meta: {} })).toEqual({ uri: 'a:b', text: '' });
  });

  test('an unknown resource returns 404, and a missing URI returns 422', async () => {
    expect((await read('echo', 'memo://nothing')).status).toBe(404);
    for (const query of ['', '?uri=']) {
      const { status, body } = await api().get(`/api/v1/servers/echo/resources/content${query}`);
      const message = 'uri is missing: set it to the URI of a resource';
      expect([status, body.errors]).toEqual([422, [{ location: 'query.uri', message }]]);
    }
  });
});

test('disallowed items are neither listed nor returned', async () => {
  const { body } = await api().get('/api/v1/servers/few/prompts');
  expect(body.prompts.map(({ name }: { name: string }) => name)).toEqual(['greet']);
  expect((await api().get('/api/v1/servers/few/resources')).body.resources).toHaveLength(1);
  expect((await api().post('/api/v1/servers/few/prompts/plain', {})).status).toBe(403);
  const blob = '/api/v1/servers/few/resources/content?uri=memo%3A%2F%2Fblob';
  expect((await api().get(blob)).status).toBe(403);
});

test('pages of a list are merged, starting from the first page or from a cursor', async () => {
  for (const [path, list, most] of [
    ['prompts', 'prompts', 3],
    ['resources', 'resources', 3],
    ['resources/templates', 'templates', 2],
  ] as const) {
    const all = await api().get(`/api/v1/servers/paged/${path}`);
    expect(all.status).toBe(200);
    expect(all.body).not.toHaveProperty('nextCursor');
    expect(all.body[list]).toHaveLength(most);
    const rest = await api().get(`/api/v1/servers/paged/${path}?cursor=2`);
    expect(rest.body[list] ?? []).toEqual(all.body[list].slice(2));
  }
});
