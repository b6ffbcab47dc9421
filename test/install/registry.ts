import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../bench/measure/started.ts';

export interface Registry {
  readonly url: string;
  close(): Promise<void>;
}

/** Starts verdaccio, a registry server, on loopback. It contains only the packages that are published to it. */
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
  let ended = false;
  const end = once(child, 'exit').then(() => (ended = true));
  const url = `http://127.0.0.1:${port}/`;
  while (!(await isUp(url))) {
    if (ended) throw new Error('verdaccio ended before it answered');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return {
    url,
    async close() {
      child.kill();
      await end;
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
