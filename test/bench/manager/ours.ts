import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PATHS } from '../setup/paths.ts';
import type { Contestant, RunningContestant } from './contestant.ts';
import { ECHO, echoNames } from './echo-server.ts';
import { openHttpClient } from './http-client.ts';
import { openMcpSession } from './mcp-session.ts';
import { freePort, type Started, startUntil } from '../measure/started.ts';

type Call = RunningContestant['call'];

const ours = (name: string, open: (port: number) => Promise<Call>): Contestant => ({
  name,
  async start(servers) {
    const folder = await mkdtemp(join(tmpdir(), 'bench-mcp-manager-'));
    const config = join(folder, 'servers.json');
    const mcpServers = Object.fromEntries(echoNames(servers).map((server) => [server, ECHO]));
    await writeFile(config, JSON.stringify({ mcpServers }));
    const port = await freePort();
    const started: Started & { result: Call } = await startUntil(
      PATHS.manager,
      ['daemon', '--config-file', config, '--addr', `127.0.0.1:${port}`],
      { XDG_CONFIG_HOME: folder },
      async () => {
        const call = await open(port);
        await call('ready');
        return call;
      },
    );
    return {
      pid: started.pid,
      call: started.result,
      async stop() {
        await started.stop();
        await rm(folder, { recursive: true, force: true });
      },
    };
  },
});

export const oursRest = ours('mcp-manager (REST)', (port) => {
  const client = openHttpClient(port);
  const path = '/api/v1/servers/echo/tools/echo';
  return Promise.resolve(async (message) =>
    String(JSON.parse((await client.post(path, JSON.stringify({ message }))).body)),
  );
});

export const oursMcp = ours('mcp-manager (/mcp/echo)', async (port) => {
  const { call } = await openMcpSession(port, '/mcp/echo');
  return call;
});
