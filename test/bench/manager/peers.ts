import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATHS } from '../setup/paths.ts';
import type { Contestant, RunningContestant } from './contestant.ts';
import { ECHO, echoNames } from './echo-server.ts';
import { openHttpClient } from './http-client.ts';
import { openMcpSession } from './mcp-session.ts';
import { freePort, startUntil } from '../measure/started.ts';

const installed = (path: string): string => join(PATHS.contestants, 'node_modules', path);

/** Many servers behind one REST API, like mcp-manager. */
export const mcpHub: Contestant = {
  name: 'mcp-hub (REST)',
  async start(servers) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-mcp-hub-'));
    const config = join(folder, 'servers.json');
    const mcpServers = Object.fromEntries(echoNames(servers).map((name) => [name, ECHO]));
    await writeFile(config, JSON.stringify({ mcpServers }));
    const port = await freePort();
    const client = openHttpClient(port);
    const call = async (text: string): Promise<string> => {
      const body = JSON.stringify({ server_name: 'echo', tool: 'echo', arguments: { message: text } });
      const answer = await client.post('/api/servers/tools', body);
      const { result } = JSON.parse(answer.body) as { result: { content: { text: string }[] } };
      return result.content[0]?.text ?? '';
    };
    const args = [installed('mcp-hub/dist/cli.js'), '--port', String(port), '--config', config];
    // Its state is stored in the user's default folder, unless configured otherwise.
    const env = { XDG_STATE_HOME: folder, XDG_DATA_HOME: folder, HOME: folder };
    const { pid, stop } = await startUntil(process.execPath, args, env, () => call('ready'));
    return {
      pid,
      call,
      async stop() {
        await stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
};

/** The program with which mcp-manager's API is compatible, at a path that the user sets. */
export const mcpd = (program: string): Contestant => ({
  name: 'mcpd (REST)',
  async start(servers) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-mcpd-'));
    const config = join(folder, 'mcpd.toml');
    const entries = echoNames(servers).map(
      (name) => `[[servers]]\nname = "${name}"\npackage = "npx::echo@1.0.0"\ntools = ["echo"]\n`,
    );
    await writeFile(config, entries.join('\n'));
    // It only starts packages from npm, PyPI or Docker, so its `npx` is a script that starts the server.
    const programs = join(folder, 'bin');
    await mkdir(programs);
    const script = `#!/bin/sh\nexec '${ECHO.command}' ${ECHO.args.map((arg) => `'${arg}'`).join(' ')}\n`;
    await writeFile(join(programs, 'npx'), script, { mode: 0o755 });
    const port = await freePort();
    const client = openHttpClient(port);
    const call = async (message: string): Promise<string> => {
      const answer = await client.post('/api/v1/servers/echo/tools/echo', JSON.stringify({ message }));
      return String(JSON.parse(answer.body));
    };
    const files = ['--config-file', config, '--runtime-file', join(folder, 'secrets.toml')];
    const args = ['daemon', ...files, '--addr', `127.0.0.1:${port}`];
    const path = `${programs}:${process.env['PATH'] ?? ''}`;
    const env = { PATH: path, HOME: folder, XDG_CONFIG_HOME: folder };
    const { pid, stop } = await startUntil(program, args, env, () => call('ready'));
    return {
      pid,
      call,
      async stop() {
        await stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
});

/** A single server behind streamable HTTP. */
const proxy = (name: string, args: (port: number) => readonly string[], path: string): Contestant => ({
  name,
  async start() {
    const port = await freePort();
    const ready = (): Promise<Pick<RunningContestant, 'call'>> => openMcpSession(port, path);
    const { pid, stop, result } = await startUntil(process.execPath, args(port), {}, ready);
    return { pid, call: result.call, stop };
  },
});

export const mcpProxy = proxy(
  'mcp-proxy',
  (port) => [
    installed('mcp-proxy/dist/bin/mcp-proxy.mjs'),
    '--port',
    String(port),
    '--host',
    '127.0.0.1',
    '--server',
    'stream',
    '--',
    ECHO.command,
    ...ECHO.args,
  ],
  '/mcp',
);

export const supergateway = proxy(
  'supergateway',
  (port) => [
    installed('supergateway/dist/index.js'),
    '--stdio',
    [ECHO.command, ...ECHO.args].join(' '),
    '--outputTransport',
    'streamableHttp',
    '--stateful',
    '--port',
    String(port),
    '--logLevel',
    'none',
  ],
  '/mcp',
);
