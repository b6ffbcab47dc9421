import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort, type Started, startUntil } from '../measure/started.ts';
import { PATHS } from '../setup/paths.ts';

const FIXTURES = join(PATHS.repository, 'fixtures/mcp-servers');

/** Starts the manager from source, with servers from the fixtures or with their own arguments, for sections that do not measure its start. */
export async function startSource(
  servers: Readonly<Record<string, string | readonly string[]>>,
  flags: readonly string[] = [],
): Promise<Started & { readonly port: number }> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-mcp-manager-'));
  const config = join(folder, 'servers.json');
  const mcpServers = Object.fromEntries(
    Object.entries(servers).map(([name, file]) => [
      name,
      {
        command: process.execPath,
        args: typeof file === 'string' ? [join(FIXTURES, file)] : file,
      },
    ]),
  );
  await writeFile(config, JSON.stringify({ mcpServers }));
  const port = await freePort();
  const program = join(PATHS.repository, 'runtime/targets/manager/main.ts');
  const { pid, stop } = await startUntil(
    process.execPath,
    [program, 'daemon', '--config-file', config, '--addr', `127.0.0.1:${port}`, ...flags],
    { XDG_CONFIG_HOME: folder },
    async () => {
      const { ok } = await fetch(`http://127.0.0.1:${port}/readyz`);
      if (!ok) throw new Error('not ready');
    },
  );
  return {
    pid,
    port,
    async stop() {
      await stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
