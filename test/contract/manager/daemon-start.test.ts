import { createServer } from 'node:net';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { ROOT } from '../../helpers/paths.ts';
import { useTempFolder } from '../../helpers/temp-folder.ts';
import { verifiesOnce } from '../verifies.ts';
import { writeFiles } from './arms.ts';
import { ECHO, serversToml } from './config.ts';
import { useDaemons } from './daemon-process.ts';
import { serves } from './load.ts';

const { start, launch } = useDaemons();
const temp = useTempFolder();

verifiesOnce('daemon:degraded', async () => {
  const api = await start({
    config: serversToml({ name: 'good', run: ['echo.mjs'] }, { name: 'bad', run: ['exits-at-start.mjs'] }),
  });
  expect(await serves(api, 'good')).toBe(true);
  await expect
    .poll(async () => (await api.get('/api/v1/health/servers/bad')).body.status)
    .toBe('unreachable');
  expect(await serves(api, 'good')).toBe(true);
});

verifiesOnce('daemon:unset-variable', async () => {
  const bad = serversToml({ name: 'bad', run: ['echo.mjs'], env: { TOKEN: '${NEVER_SET}' } });
  const api = await start({ config: `${serversToml({ name: 'good', run: ['echo.mjs'] })}\n${bad}` });
  expect(await serves(api, 'good')).toBe(true);
  expect((await api.get('/api/v1/health/servers/bad')).body.status).toBe('unreachable');
  const refused = await api.post('/api/v1/servers/bad/tools/echo', { message: 'x' });
  expect(refused.status).toBe(503);
  expect(refused.text).toContain('env.TOKEN: the variable NEVER_SET is not set. Set it');
  expect(api.log()).toMatch(/\.mcpd\.toml:\d+: .*NEVER_SET is not set.* The server is not started\./);
});

verifiesOnce('daemon:port-in-use', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  const { port } = other.address() as { port: number };
  const { ended, stderr } = launch(writeFiles({ config: ECHO }), ['--addr', `127.0.0.1:${port}`]);
  expect(await ended).toBe(1);
  expect(stderr()).toMatch(new RegExp(`^Error: .*${port}.*--port`, 'm'));
  other.close();
});

verifiesOnce('daemon:open-address', async () => {
  const folder = writeFiles({ config: ECHO });
  const refused = launch(folder, ['--addr', '0.0.0.0:0']);
  expect(await refused.ended).toBe(1);
  expect(refused.stderr()).toMatch(/^Error: .*0\.0\.0\.0.*(?:keys create).*--insecure/m);
  const insecure = launch(folder, ['--addr', '0.0.0.0:0', '--insecure']);
  await insecure.said(/"msg":"serving"/);
});

verifiesOnce('daemon:bad-config', async () => {
  const failing = async (folder: string, flags: readonly string[] = []): Promise<string> => {
    const { ended, stderr } = launch(folder, ['--addr', '127.0.0.1:0', ...flags]);
    expect(await ended).toBe(1);
    expect(stderr()).not.toMatch(/\n +at /);
    return stderr();
  };
  expect(await failing(temp())).toMatch(/^Error: .*\.mcpd\.toml.*(?:init|--config-file)/m);
  expect(await failing(writeFiles({ config: '[[servers]]\nname = "x\n' }))).toMatch(
    /^Error: .*\.mcpd\.toml:2: /m,
  );
  expect(await failing(writeFiles({ config: ECHO.replace('tools =', 'tolls =') }))).toMatch(/tolls.*tools/);
  expect(await failing(writeFiles({ config: `${ECHO}\n${ECHO}` }))).toMatch(/echo/);
  const folder = join(temp(), 'folder');
  mkdirSync(join(folder, '.mcpd.toml'), { recursive: true });
  expect(await failing(folder)).toMatch(/^Error: .*folder/m);
});

verifiesOnce('daemon:isolation', async () => {
  const files = {
    config: serversToml({ name: 'one', run: ['echo.mjs'] }, { name: 'two', run: ['echo.mjs'] }),
    secrets: '[servers.one.env]\nAPI_KEY = "${MCPD__ONE__API_KEY}"\n',
  };
  process.env['MCPD__ONE__API_KEY'] = 'secret-of-one';
  process.env['MCPD__TWO__OTHER'] = 'secret-of-two';
  process.env['UNRELATED_TOKEN'] = 'ours';
  try {
    const api = await start(files);
    const env = async (server: string): Promise<Record<string, string>> =>
      JSON.parse((await api.post(`/api/v1/servers/${server}/tools/env`, {})).body);
    expect((await env('one'))['API_KEY']).toBe('secret-of-one');
    for (const server of ['one', 'two']) {
      const seen = JSON.stringify(await env(server));
      expect(seen.includes('secret-of-one')).toBe(server === 'one');
      expect(seen.includes('secret-of-two')).toBe(server === 'two');
      expect(seen).not.toContain('UNRELATED_TOKEN');
    }
  } finally {
    for (const name of ['MCPD__ONE__API_KEY', 'MCPD__TWO__OTHER', 'UNRELATED_TOKEN'])
      delete process.env[name];
  }
});

verifiesOnce('daemon:code-mode-plugins', async () => {
  const path = join(ROOT, 'fixtures/mcp-plugins/policy.mjs');
  const plugin = `name = "policy"\nkind = "js"\npath = '${path}'\nrequired = true\nflows = ["request"]`;
  const settings = '[plugins.authorization.config]\nname = "echo__add"\naction = "deny"';
  const config = `${ECHO}\n[[plugins.authorization]]\n${plugin}\n${settings}\n`;
  const api = await start({ config }, ['--mcp-mode', 'code']);
  const headers = {
    accept: 'application/json, text/event-stream',
    'mcp-protocol-version': '2026-07-28',
    'mcp-method': 'tools/call',
    'mcp-name': 'run_script',
  };
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const run = async (script: string): Promise<string> => {
    const params = { name: 'run_script', arguments: { script }, _meta };
    return (await api.post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params }, headers)).text;
  };
  expect(await run('local sum = tools.echo.add{ a = 1, b = 2 }')).toContain(
    'line 1: echo/add: rejected with status 403: echo__add is blocked',
  );
  expect(await run('return tools.echo.echo{ message = "passed" }')).toContain('"text":"passed"');
  const { ended, stderr } = launch(writeFiles({ config: ECHO }), ['--client-mcp-modes', 'all,lua']);
  expect(await ended).toBe(2);
  expect(stderr()).toContain('--client-mcp-modes: "lua" must be all, search or code.');
});
