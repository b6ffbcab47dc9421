import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { serverSpec } from '../server-spec.ts';
import { type Managed, openManager } from './managed.ts';

const echo = serverSpec('echo', 'echo', { env: { PAGE_SIZE: '2' } });
const suite = serverSpec('suite', 'conformance');
const twin = serverSpec('twin', 'echo');

let managed: Managed;
let client: Client;
beforeAll(async () => {
  managed = await openManager({ servers: [echo, suite], pageSize: 3 });
  await Promise.all([managed.running('echo'), managed.running('suite')]);
  client = await managed.connect();
});
afterAll(() => managed.close());

async function allNames(change?: () => Promise<unknown>): Promise<string[]> {
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listPrompts({ cursor });
    expect(page.prompts.length).toBeLessThanOrEqual(3);
    names.push(...page.prompts.map(({ name }) => name));
    if (cursor === undefined) await change?.();
    cursor = page.nextCursor;
  } while (cursor !== undefined);
  return names;
}

test('a long list is returned in pages, with each item once', async () => {
  const names = await allNames();
  expect(names).toHaveLength(7);
  expect(new Set(names).size).toBe(7);
});

test('a cursor stays valid when servers are added and when its own server is removed', async () => {
  const withTwin = await allNames(async () => {
    managed.configure([echo, suite, twin]);
    await managed.context.reloader.reload();
  });
  expect(withTwin).toHaveLength(10);
  const withoutEcho = await allNames(async () => {
    managed.configure([suite, twin]);
    await managed.context.reloader.reload();
  });
  expect(withoutEcho.slice(0, 3).every((name) => name.startsWith('echo__'))).toBe(true);
  expect(withoutEcho.slice(3)).toHaveLength(7);
  managed.configure([echo, suite]);
  await managed.context.reloader.reload();
});

test('an invalid cursor is rejected', async () => {
  await expect(client.listTools({ cursor: 'bogus' })).rejects.toMatchObject({ code: -32_602 });
});

test('a single server returns its own pages and cursors', async () => {
  const one = await managed.connect('/mcp/echo');
  const first = await one.listPrompts();
  expect(first.prompts.map(({ name }) => name)).toEqual(['greet', 'plain']);
  expect(first.nextCursor).toBeDefined();
  const second = await one.listPrompts({ cursor: first.nextCursor });
  expect(second.prompts.map(({ name }) => name)).toEqual(['Picture']);
  expect(second.nextCursor).toBeUndefined();
});
