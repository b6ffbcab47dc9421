import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { execa } from 'execa';
import { ROOT } from '../helpers/paths.ts';

const MANAGER = join(ROOT, 'runtime/targets/manager/main.ts');
const PATIENCE_MS = 60_000;

export interface Manager {
  readonly url: string;
  /** Runs a command with the files of this manager, and a browser whose user consents to everything. */
  readonly run: (
    args: readonly string[],
    options?: { readonly env?: Readonly<Record<string, string>>; readonly input?: string },
  ) => ReturnType<typeof execa>;
}

interface ManagerOptions {
  readonly flags?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
}

export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  return typeof address === 'object' && address ? address.port : 0;
}

export async function until(
  what: string,
  isTrue: () => Promise<boolean>,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const deadline = Date.now() + patienceMs;
  while (!(await isTrue().catch(() => false))) {
    if (Date.now() > deadline) throw new Error(`not in time: ${what}`);
    await sleep(100);
  }
}

/** Starts programs whose files are in a folder; `end` stops all of them. */
export function processesIn(folder: string) {
  const children: ChildProcess[] = [];
  /** Shell scripts whose programs are terminated with their process group. */
  const groups: ChildProcess[] = [];
  return {
    /** Starts a program that prints a line when it is ready. */
    async start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<void> {
      const child = spawn(process.execPath, args, {
        env: { ...process.env, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      children.push(child);
      child.stderr.resume();
      const exited = once(child, 'exit').then(() => Promise.reject(new Error(`${args.join(' ')} exited`)));
      exited.catch(() => undefined);
      await Promise.race([once(child.stdout, 'data'), exited]);
    },
    async startManager(
      name: string,
      port: number,
      config: string,
      { flags = [], env = {} }: ManagerOptions = {},
    ): Promise<Manager> {
      const home = join(folder, name);
      mkdirSync(home);
      writeFileSync(join(home, 'servers.toml'), config);
      const files = ['--config', join(home, 'servers.toml'), '--runtime-file', join(home, 'secrets.toml')];
      const args = [MANAGER, 'daemon', ...files, '--port', String(port), ...flags];
      const environment = { ...process.env, ...env };
      children.push(spawn(process.execPath, args, { stdio: 'ignore', env: environment }));
      const url = `http://127.0.0.1:${port}`;
      await until(`${name} is alive`, async () => (await fetch(`${url}/healthz`)).ok);
      return {
        url,
        run: (words, options = {}) =>
          execa(process.execPath, [MANAGER, ...words, ...files], {
            timeout: PATIENCE_MS,
            ...options,
            env: { BROWSER: join(import.meta.dirname, 'browser.mjs'), ...env, ...options.env },
          }),
      };
    },
    startGroup(command: string, args: readonly string[]): void {
      groups.push(spawn(command, args, { stdio: 'ignore', detached: true }));
    },
    async end(): Promise<void> {
      for (const { pid } of groups) if (pid !== undefined) process.kill(-pid);
      for (const child of children) child.kill();
      for (const child of [...children, ...groups]) {
        if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
      }
    },
  };
}
