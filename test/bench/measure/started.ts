import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** The peers accept a port as an option and do not report when they are listening. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}

const MAX_WAIT_MS = 90_000;

export interface Started {
  readonly pid: number | undefined;
  readonly stop: () => Promise<void>;
}

interface StartOptions {
  /** File to which the program's output is appended. Default: the output is discarded. */
  readonly log?: string | undefined;
  /** Interval between calls of `ready`. */
  readonly everyMs?: number | undefined;
  readonly cwd?: string | undefined;
}

/** Starts a program and calls `ready` until it succeeds. */
export async function startUntil<Result>(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  ready: () => Promise<Result>,
  { log, everyMs = 100, cwd }: StartOptions = {},
): Promise<Started & { readonly result: Result }> {
  const said = log === undefined ? undefined : openSync(log, 'a');
  const child = spawn(command, args, {
    cwd,
    env: { ...process.env, ...env },
    stdio: said === undefined ? 'ignore' : ['ignore', said, said],
    detached: true,
  });
  if (said !== undefined) closeSync(said);
  for (let attempt = 0; ; attempt += 1) {
    try {
      const result = await ready();
      return { pid: child.pid, stop: () => endGroup(child), result };
    } catch (error) {
      if (attempt * everyMs > MAX_WAIT_MS || child.exitCode !== null) {
        await endGroup(child);
        throw new Error(`${command} ${args.join(' ')} does not serve`, { cause: error });
      }
      await sleep(everyMs);
    }
  }
}

async function endGroup(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null) return;
  const ended = once(child, 'exit');
  // Otherwise, some programs leave their servers behind.
  process.kill(-child.pid, 'SIGKILL');
  await ended;
}
