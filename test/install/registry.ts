import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';

export interface Registry {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts verdaccio, a registry server, on loopback. It has only the packages that are published to it. */
export async function startRegistry(folder: string): Promise<Registry> {
  await mkdir(folder, { recursive: true });
  const port = await freePort();
  const config = join(folder, 'config.yaml');
  await writeFile(
    config,
    JSON.stringify({
      storage: join(folder, 'storage'),
      auth: { htpasswd: { file: join(folder, 'htpasswd') } },
      uplinks: {},
      packages: { '**': { access: '$all', publish: '$all' } },
      max_body_size: '1000mb',
      web: { enable: false },
      log: { type: 'stdout', format: 'pretty', level: 'error' },
    }),
  );
  const main = join(import.meta.dirname, 'node_modules', 'verdaccio', 'bin', 'verdaccio');
  const child = spawn(process.execPath, [main, '--config', config, '--listen', `127.0.0.1:${port}`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const url = `http://127.0.0.1:${port}/`;
  while (!(await isUp(url))) {
    if (child.exitCode !== null) throw new Error(`verdaccio exited with ${child.exitCode}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    async close() {
      const ended = once(child, 'exit');
      child.kill();
      await ended;
    },
  };
}

async function isUp(url: string): Promise<boolean> {
  try {
    return (await fetch(`${url}-/ping`)).ok;
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (address === null || typeof address === 'string') throw new Error('the server has no port');
  return address.port;
}
