import { McpdClient, McpdError } from '@mozilla-ai/mcpd';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { bearer, keyOf } from '../access/key-of.ts';
import { serverSpec } from '../server-spec.ts';
import { openApi, type OpenApi } from './open-api.ts';

describe("the existing service's published client", () => {
  let api: OpenApi;
  let client: McpdClient;
  let origin: string;
  beforeAll(async () => {
    api = await openApi({
      servers: [
        serverSpec('echo', 'echo'),
        serverSpec('camel', 'camel-case-tools'),
        serverSpec('tools', 'echo', { env: { ONLY_TOOLS: '1' } }),
        serverSpec('broken', 'exits-at-start'),
        serverSpec('paged', 'echo', { env: { PAGE_SIZE: '1' } }),
      ],
      keys: [keyOf('mcpm_sdk')],
    });
    origin = await api.listen();
    client = new McpdClient({ apiEndpoint: origin, apiKey: 'mcpm_sdk', healthCacheTtl: 0.001 });
    const checked = async () => (await statusesOf(api)) === 'unreachable ok ok ok ok';
    await vi.waitUntil(checked, { timeout: 60_000 });
  });
  afterAll(() => api.close());

  test('lists servers and their health', async () => {
    expect(await client.listServers()).toEqual(['broken', 'camel', 'echo', 'paged', 'tools']);
    const health = await client.getServerHealth();
    expect(Object.keys(health)).toEqual(['broken', 'camel', 'echo', 'paged', 'tools']);
    expect(await client.getServerHealth('echo')).toMatchObject({ name: 'echo', status: 'ok' });
    expect(await client.isServerHealthy('echo')).toBe(true);
    expect(await client.isServerHealthy('broken')).toBe(false);
  });

  test('lists and calls tools', async () => {
    const { echo, camel } = client.servers;
    const tools = await echo?.getTools();
    expect(tools?.find(({ name }) => name === 'add')).toMatchObject({ title: 'Adder' });
    expect(await echo?.hasTool('echo')).toBe(true);
    expect(await echo?.tools['echo']?.({ message: 'Grüße' })).toBe('Grüße');
    expect(await echo?.callTool('structured', {})).toEqual({ city: 'Oslo', degrees: 3.5 });
    expect(await camel?.tools['getWeather']?.({})).toContain('getWeather');
    await expect(echo?.callTool('is-error', { message: 'no disk' })).rejects.toThrow(
      'MCP server error calling tool - path.tool: tool call failed: echo/is-error: no disk',
    );
  });

  test('lists and renders prompts, and reads resources', async () => {
    const { echo } = client.servers;
    expect((await echo?.getPrompts())?.map(({ name }) => name)).toEqual(['greet', 'plain', 'Picture']);
    expect(await echo?.generatePrompt('greet', { name: 'Ada' })).toMatchObject({
      description: 'About greet.',
    });
    expect(await echo?.getResources()).toHaveLength(3);
    expect(await echo?.getResourceTemplates()).toHaveLength(2);
    expect(await echo?.readResource('memo://one')).toEqual([
      { uri: 'memo://one', mimeType: 'text/plain', text: 'The first memo.' },
    ]);
    expect(await echo?.hasResource('memo://nothing')).toBe(false);
  });

  test('reads all pages of a list', async () => {
    const { paged } = client.servers;
    expect((await paged?.getPrompts())?.map(({ name }) => name)).toEqual(['greet', 'plain', 'Picture']);
    expect(await paged?.getResources()).toHaveLength(3);
    expect(await paged?.getResourceTemplates()).toHaveLength(2);
  });

  test('returns empty lists for a server without prompts and resources', async () => {
    const { tools } = client.servers;
    expect(await tools?.getPrompts()).toEqual([]);
    expect(await tools?.getResources()).toEqual([]);
    expect(await tools?.getResourceTemplates()).toEqual([]);
  });

  test('creates functions for agents', async () => {
    const functions = await client.getAgentTools({ servers: ['echo', 'broken'] });
    const add = functions.find(({ name }) => name === 'echo__add');
    expect(await add?.({ a: 1, b: 2 })).toBe(3);
  });

  test("understands the manager's errors", async () => {
    const anyone = new McpdClient({ apiEndpoint: origin });
    await expect(anyone.listServers()).rejects.toThrow('Missing API key');
    await expect(client.getServerHealth('nobody')).rejects.toThrow(McpdError);
    await expect(client.servers['broken']?.getTools()).rejects.toThrow('not healthy: unreachable');
  });
});

const statusesOf = async (api: OpenApi): Promise<string> => {
  const { body } = await api.get('/api/v1/health/servers', { Authorization: bearer('mcpm_sdk') });
  return body.servers.map(({ status }: { status: string }) => status).join(' ');
};
