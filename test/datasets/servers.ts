import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

const STOP_MS = 5000;

export interface Server {
  readonly pid: number;
  /** Resolves when the process has exited. */
  readonly ended: Promise<void>;
  readonly firstLine: () => Promise<string>;
  readonly log: () => string;
  readonly stop: () => Promise<void>;
}

interface ServerOptions {
  /** Folder of the log. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

/**
 * Starts a program in a separate process group. The whole group is terminated with it, because MLflow
 * starts workers that outlive it and keep its output open.
 */
export function startServer(
  name: string,
  [program = '', ...args]: readonly string[],
  { folder, env = {} }: ServerOptions,
): Server {
  const path = join(folder, `${name}.log`);
  const log = openSync(path, 'a');
  const child = spawn(program, args, {
    detached: true,
    stdio: ['ignore', 'pipe', log],
    env: { ...process.env, ...env },
  });
  closeSync(log);
  const { stdout } = child;
  if (stdout === null) throw new Error(`${name} has no output`);
  const lines = createInterface({ input: stdout });
  const first = new Promise<string>((resolve) => void lines.once('line', resolve));
  const ended = new Promise<void>((resolve) => {
    child.once('error', () => resolve());
    child.once('exit', () => resolve());
  });
  return {
    pid: child.pid ?? Number.NaN,
    ended,
    firstLine: () => first,
    log: () => readFileSync(path, 'utf8'),
    async stop() {
      endGroup(child, 'SIGTERM');
      const isLate = AbortSignal.timeout(STOP_MS);
      await Promise.race([
        ended,
        new Promise<void>((resolve) => isLate.addEventListener('abort', () => resolve())),
      ]);
      endGroup(child, 'SIGKILL');
      lines.close();
      stdout.destroy();
      await ended;
    },
  };
}

function endGroup({ pid }: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // All processes in the group have exited.
  }
}

/** Waits until a URL returns a success status. */
export async function untilAnswers(url: string, { ended, log }: Server): Promise<void> {
  let isOver = false;
  void ended.then(() => (isOver = true));
  for (;;) {
    const answer = await fetch(url).catch(() => undefined);
    if (answer?.ok === true) return;
    if (isOver) throw new Error(`${url} does not answer: ${log().slice(-2000)}`);
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
}
