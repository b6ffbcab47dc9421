import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { expect, onTestFinished, test } from 'vitest';
import { listenHttp } from '#serve/http/listen.ts';
import { createRedactor } from '#serve/redact.ts';
import { managerApi } from '#manager/http/app.ts';
import { managerMcpRoutes } from '#manager/mcp/routes.ts';
import type { Plugins } from '#manager/plugins/plugins.ts';
import { useTempFolder } from '#test/helpers/temp-folder.ts';
import { keyOf } from '../access/key-of.ts';
import { openManager } from '../mcp/managed.ts';
import { serverSpec } from '../server-spec.ts';
import { plugin, post, started } from './served.ts';

const folder = useTempFolder();
const ECHO = '/api/v1/servers/echo/tools/echo';

test('a content plugin can change the arguments of a tool call', async () => {
  const { plugins } = await started({
    content: [plugin('change-request', { config: { label: 'message' } })],
  });
  const url = await serve(plugins);
  expect(await (await post(`${url}/api/v1/servers/echo/tools/number`, { value: 1 })).json()).toBe(
    '{"value":1,"message":true}',
  );
});

test('MCP clients work with plugins', async () => {
  const file = join(folder(), 'record');
  const { plugins } = await started({
    content: [plugin('allow', { flows: ['request', 'response'], required: true })],
    audit: [plugin('record', { flows: ['request', 'response'], config: { file, label: 'seen' } })],
  });
  const client = new Client({ name: 'test', version: '1.0.0' });
  await client.connect(new StreamableHTTPClientTransport(new URL('/mcp', await serve(plugins))));
  onTestFinished(() => client.close());
  const { content } = await client.callTool({ name: 'echo__echo', arguments: { message: 'hello' } });
  expect(content).toEqual([{ type: 'text', text: 'hello' }]);
  expect(readFileSync(file, 'utf8')).toContain('"name":"echo__echo"');
});

test('plugins run before the key check, so they see rejected callers and can respond first', async () => {
  const file = join(folder(), 'record');
  const watching = await started({
    audit: [plugin('record', { flows: ['response'], config: { file, label: 'seen' } })],
  });
  const refused = await post((await serve(watching.plugins, true)) + ECHO, { message: 'hello' });
  expect(refused.status).toBe(401);
  expect(readFileSync(file, 'utf8')).toMatch(/^seen response 401 \{/);

  const denying = await started({ authentication: [plugin('deny')] });
  expect((await post((await serve(denying.plugins, true)) + ECHO, {})).status).toBe(403);
});

test('a failing required plugin returns a problem document', async () => {
  const { plugins } = await started({ authorization: [plugin('fail', { required: true })] });
  const answer = await post((await serve(plugins)) + ECHO, {});
  expect(answer.headers.get('Mcpd-Error-Type')).toBe('request-pipeline-failure');
  expect(answer.headers.get('Link')).toBe('</schemas/ErrorModel.json>; rel="describedBy"');
  expect(await answer.json()).toMatchObject({ status: 500, detail: 'Request processing failed' });
});

/** The manager with these plugins and one server; with `keys`, requests require a key. */
async function serve(plugins: Plugins, keys = false): Promise<string> {
  const servers = [serverSpec('echo', 'echo')];
  const managed = await openManager(keys ? { servers, keys: [keyOf('a-key')] } : { servers });
  await managed.running('echo');
  const hostname = '127.0.0.1';
  const mcp = managerMcpRoutes(managed.context, { hostname });
  const options = { hostRules: { hostname }, redact: createRedactor(), mcp, plugins };
  const { app, direct } = managerApi(managed.context, options);
  const listener = await listenHttp({ app, direct, hostname, port: 0, portFlag: '--addr' });
  onTestFinished(async () => {
    await mcp.close(0);
    await listener.close(0);
    await managed.close();
  });
  return `http://${hostname}:${listener.port}`;
}
