import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Client } from '@modelcontextprotocol/sdk/client/index.js';
import type { Tool } from '@modelcontextprotocol/sdk/types.js';
import type { KeyRecord } from '#manager/access/key-file.ts';
import { bearer, keyOf } from '../../access/key-of.ts';
import { recordedAudit } from '../../recorded-audit.ts';
import { serverSpec } from '../../server-spec.ts';
import { type Managed, openManager } from '../managed.ts';

const UI = 'io.modelcontextprotocol/ui';
const APPS = { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } } };
const PAGE = 'ui://stats/page';

const { audit, entries } = recordedAudit();
let managed: Managed;
let host: Client;
let other: Client;
beforeAll(async () => {
  managed = await openManager({
    audit,
    servers: [
      serverSpec('one', 'apps', { env: { SERVER_NAME: 'one' } }),
      serverSpec('two', 'apps', { env: { SERVER_NAME: 'two', UNLISTED: '1' } }),
      serverSpec('none', 'apps', {
        env: { EXTENSIONS: '{"com.example/custom":{}}' },
        extensions: ['com.example/custom'],
      }),
      serverSpec('strict', 'apps', { env: { EXTENSIONS: '{"com.example/custom":{},"com.example/b":{}}' } }),
      serverSpec('closed', 'apps', { resources: { allow: ['*'], deny: ['ui://*'] } }),
    ],
    groups: [{ name: 'team', servers: ['one'], tools: [], prompts: [], resources: [] }],
  });
  await Promise.all(['one', 'two', 'none', 'strict', 'closed'].map((name) => managed.running(name)));
  host = await managed.connect('/mcp', {}, APPS);
  other = await managed.connect();
});
afterAll(() => managed.close());

const toolsOf = async (client: Client): Promise<ReadonlyMap<string, Tool>> =>
  new Map((await client.listTools()).tools.map((tool) => [tool.name, tool]));

const textOf = (result: unknown): Record<string, unknown> =>
  JSON.parse((result as { content: { text: string }[] }).content[0]?.text ?? '') as Record<string, unknown>;

describe('tools', () => {
  test('refer to the page of their own server, also if two servers use the same URI', async () => {
    const tools = await toolsOf(host);
    for (const server of ['one', 'two']) {
      const uri = `ui://mcp-manager/${server}/stats/page`;
      expect(tools.get(`${server}__show-stats`)?._meta).toEqual({
        ui: { resourceUri: uri },
        'ui/resourceUri': uri,
      });
      expect(tools.get(`${server}__poll-stats`)?._meta).toEqual({
        ui: { resourceUri: uri, visibility: ['app'] },
        other: 1,
      });
    }
  });

  test('that are only for apps are hidden from clients that do not support apps, which can call them', async () => {
    expect((await toolsOf(host)).has('one__poll-stats')).toBe(true);
    const names = [...(await toolsOf(other)).keys()];
    expect(names).toContain('one__show-stats');
    expect(names).not.toContain('one__poll-stats');
    const alone = await managed.connect('/mcp/one');
    expect([...(await toolsOf(alone)).keys()]).toEqual(['show-stats', 'only-model', 'seen']);
    expect(textOf(await other.callTool({ name: 'one__poll-stats', arguments: {} }))).toMatchObject({
      tool: 'poll-stats',
    });
  });

  test('keep the URIs of their server at its own endpoint', async () => {
    const alone = await managed.connect('/mcp/one', {}, APPS);
    expect((await toolsOf(alone)).get('poll-stats')?._meta).toEqual({
      ui: { resourceUri: PAGE, visibility: ['app'] },
      other: 1,
    });
    const { contents } = await alone.readResource({ uri: PAGE });
    expect(contents[0]).toMatchObject({
      uri: PAGE,
      text: expect.stringMatching(/^<!doctype html><title>/) as string,
    });
  });

  test('that are only for apps are not part of OpenAPI documents, which are for language models', async () => {
    const response = await fetch(`${managed.origin}/openapi/one.json`);
    const { paths } = (await response.json()) as { paths: object };
    expect(Object.keys(paths)).toEqual(['/show-stats', '/only-model', '/seen']);
  });

  test('have no pages if the configuration does not allow the extension', async () => {
    const tools = await toolsOf(host);
    expect(tools.get('none__show-stats')?._meta).toBeUndefined();
    expect(tools.has('none__poll-stats')).toBe(false);
  });
});

describe('pages', () => {
  test('are read by the URI in the tool, also if their server does not list them', async () => {
    for (const server of ['one', 'two']) {
      const uri = `ui://mcp-manager/${server}/stats/page`;
      const { contents } = await host.readResource({ uri });
      expect(contents).toEqual([
        {
          uri,
          mimeType: 'text/html;profile=mcp-app',
          text: expect.stringContaining(String.raw`Stats of ${server}\u003c/title>`) as string,
          _meta: {
            ui: {
              csp: { connectDomains: ['https://api.example.com'] },
              permissions: { camera: {} },
              prefersBorder: true,
            },
          },
        },
      ]);
    }
  });

  test('in Base64 are put into the same frame', async () => {
    const { contents } = await host.readResource({ uri: 'ui://mcp-manager/one/stats/blob' });
    expect(Object.keys(contents[0] ?? {})).toEqual(['uri', 'mimeType', '_meta', 'text']);
    expect(contents[0]).toMatchObject({ text: expect.stringContaining('Stats of one') as string });
  });

  test('of another type are not changed', async () => {
    const { contents } = await host.readResource({ uri: 'ui://mcp-manager/one/legacy' });
    expect(contents[0]).toMatchObject({
      mimeType: 'text/html',
      text: expect.stringMatching(/^<!doctype html><title>/) as string,
    });
  });

  test('are listed with the URI that tools refer to', async () => {
    const { resources } = await host.listResources();
    expect(resources.map(({ uri }) => uri)).toEqual([
      'ui://mcp-manager/none/stats/page',
      'ui://mcp-manager/one/stats/page',
      'ui://mcp-manager/strict/stats/page',
    ]);
    expect(resources[1]?._meta).toMatchObject({ ui: { prefersBorder: true } });
  });

  test('are read and subscribed to only if the resource filter allows them', async () => {
    await expect(host.readResource({ uri: 'ui://mcp-manager/closed/stats/page' })).rejects.toThrow(
      'resource not allowed: closed: ui://stats/page',
    );
    const team = await managed.connect('/groups/team/mcp', {}, APPS);
    await expect(team.readResource({ uri: 'ui://mcp-manager/two/stats/page' })).rejects.toThrow(
      'Resource not found',
    );
    expect((await team.readResource({ uri: 'ui://mcp-manager/one/stats/page' })).contents).toHaveLength(1);
  });

  test('in results have the URI that the client can read', async () => {
    const result = await host.callTool({ name: 'two__show-stats', arguments: {} });
    expect(result).toMatchObject({
      content: [{ type: 'text' }, { type: 'resource_link', uri: 'ui://mcp-manager/two/stats/page' }],
      _meta: { ui: { resourceUri: 'ui://mcp-manager/two/stats/page' } },
    });
  });
});

describe('calls of apps', () => {
  const asApp = (server: string, name: string): Promise<unknown> =>
    host.callTool({ name, arguments: {}, _meta: { 'mcp-manager/app': server, kept: 1 } });

  test('reach the tools of their own server, and are marked in the audit log', async () => {
    expect(textOf(await asApp('two', 'two__poll-stats'))).toEqual({ server: 'two', tool: 'poll-stats' });
    expect(entries.at(-1)).toMatchObject({ call: { isApp: true }, server: 'two', tool: 'poll-stats' });
    expect(textOf(await asApp('two', 'two__seen'))).toMatchObject({ meta: { kept: 1 } });
    expect(JSON.stringify(textOf(await asApp('two', 'two__seen')))).not.toContain('mcp-manager/app');
  });

  test('of another server, and of tools that are only for models, are rejected', async () => {
    await expect(asApp('one', 'two__poll-stats')).rejects.toThrow(
      'apps can only call tools of their own server',
    );
    await expect(asApp('one', 'one__only-model')).rejects.toThrow('only language models can call it');
  });

  test('require the permissions of the key', async () => {
    const keys: KeyRecord[] = [keyOf('limited', { tools: ['one/show-stats'] })];
    const manager = await openManager({ keys, servers: [serverSpec('one', 'apps')] });
    try {
      const client = await manager.connect('/mcp', { authorization: bearer('limited') }, APPS);
      await expect(
        client.callTool({ name: 'one__poll-stats', arguments: {}, _meta: { 'mcp-manager/app': 'one' } }),
      ).rejects.toThrow('tool not allowed: one/poll-stats');
    } finally {
      await manager.close();
    }
  });
});

describe('extensions', () => {
  test('that are allowed are announced to servers and clients; others are logged once', async () => {
    expect(textOf(await host.callTool({ name: 'one__seen', arguments: {} }))).toMatchObject({
      capabilities: { extensions: { [UI]: { mimeTypes: ['text/html;profile=mcp-app'] } } },
    });
    expect(textOf(await host.callTool({ name: 'none__seen', arguments: {} })).capabilities).toMatchObject({
      extensions: { 'com.example/custom': {} },
    });
    const [strict, none] = await Promise.all(
      ['strict', 'none'].map((name) => managed.connect(`/mcp/${name}`)),
    );
    expect(strict?.getServerCapabilities()).toMatchObject({ extensions: { [UI]: {} } });
    expect(none?.getServerCapabilities()).toMatchObject({ extensions: { 'com.example/custom': {} } });
    expect(host.getServerCapabilities()).toMatchObject({ extensions: { [UI]: {} } });
    const warned = (): unknown[] =>
      managed
        .server('strict')
        .logs.last(100)
        .map(({ text }) => text)
        .filter((text) => text.includes('extension'));
    const expected = [
      'the extension "com.example/custom" is not passed on; allow it with `extensions`',
      'the extension "com.example/b" is not passed on; allow it with `extensions`',
    ];
    expect(warned()).toEqual(expected);
    await managed.server('strict').restart();
    await managed.running('strict');
    expect(warned()).toEqual(expected);
  });
});
