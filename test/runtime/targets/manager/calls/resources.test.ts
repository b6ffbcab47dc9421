import { expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { callOf, useManager } from '../use-manager.ts';

const start = useManager();
const read = (server: string, uri: string) => ({ ...callOf(server), uri });

test('resources and templates can be listed, and resources can be read', async () => {
  const { calls } = start([serverSpec('echo', 'echo')]);
  const { items } = await calls.listResources(callOf('echo'));
  expect(items.map(({ uri }) => uri)).toEqual(['memo://one', 'memo://blob', 'memo://empty']);
  const templates = await calls.listResourceTemplates(callOf('echo'));
  expect(templates.items.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'memo://{name}',
    'note://{day}/{hour}',
  ]);
  expect(await calls.readResource(read('echo', 'memo://one'))).toEqual([
    { uri: 'memo://one', mimeType: 'text/plain', text: 'The first memo.' },
  ]);
  expect(await calls.readResource(read('echo', 'memo://blob'))).toMatchObject([{ blob: 'AAEC' }]);
});

test('a resource with empty text is returned with that text', async () => {
  const { calls } = start([serverSpec('empty', 'empty-text-resource')]);
  expect(await calls.readResource(read('empty', 'memo://empty'))).toMatchObject([{ text: '' }]);
  expect(await calls.readResource(read('empty', 'memo://none'))).toEqual([]);
});

test('resources and templates are paginated, even from a server with endless pages', async () => {
  const { calls } = start([
    serverSpec('echo', 'echo', { env: { PAGE_SIZE: '1' } }),
    serverSpec('again', 'repeating-cursors'),
  ]);
  const uris: unknown[] = [];
  let cursor: string | undefined;
  do {
    const page = await calls.listResources({ ...callOf('echo'), cursor });
    uris.push(...page.items.map(({ uri }) => uri));
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  expect(uris).toEqual(['memo://one', 'memo://blob', 'memo://empty']);
  expect(await calls.listResourceTemplates(callOf('again'))).toMatchObject({
    items: [{ name: 'again' }],
    nextCursor: 'again',
  });
});

test('disallowed resources are neither listed nor read', async () => {
  const { calls } = start([
    serverSpec('echo', 'echo', { resources: { allow: ['memo://*'], deny: ['*blob'] } }),
  ]);
  const { items } = await calls.listResources(callOf('echo'));
  expect(items.map(({ name }) => name)).toEqual(['one', 'empty']);
  expect((await calls.listResourceTemplates(callOf('echo'))).items.map(({ name }) => name)).toEqual(['memo']);
  await expect(calls.readResource(read('echo', 'memo://blob'))).rejects.toMatchObject({
    code: 'ForbiddenError',
    message: 'resource not allowed: echo: memo://blob',
  });
});

test('an unknown resource is not found, and a missing URI is an input error', async () => {
  const { calls } = start([serverSpec('echo', 'echo')]);
  await expect(calls.readResource(read('echo', 'memo://no'))).rejects.toMatchObject({
    code: 'NotFoundError',
    message: 'resource not found: echo: memo://no',
  });
  await expect(calls.readResource(read('echo', ''))).rejects.toMatchObject({ code: 'InputError' });
});

test('a server without resources returns an error', async () => {
  const { calls } = start([serverSpec('bare', 'echo', { env: { ONLY_TOOLS: '1' } })]);
  const error = (what: string) => ({
    code: 'NotImplementedError',
    message: `${what} not implemented by server: bare`,
  });
  await expect(calls.listResources(callOf('bare'))).rejects.toMatchObject(error('resources'));
  await expect(calls.listResourceTemplates(callOf('bare'))).rejects.toMatchObject(
    error('resource templates'),
  );
  await expect(calls.readResource(read('bare', 'memo://one'))).rejects.toMatchObject(error('resources'));
});
