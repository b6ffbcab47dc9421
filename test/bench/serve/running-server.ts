import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import type { Program } from '../measure/child.ts';

export interface RunningServer {
  readonly port: number;
  readonly pid: number;
  stop(): void;
}

/** Starts a server and waits until it has printed its port on stdout or stderr, in a line that matches `pattern`. */
export async function startServer(program: Program, pattern: RegExp): Promise<RunningServer> {
  const child = spawn(program.command, program.args, {
    env: { ...process.env, ...program.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const port = await Promise.race([
    portFrom(child, 'stdout', pattern),
    portFrom(child, 'stderr', pattern),
    ended(child, program),
  ]);
  return { port, pid: child.pid ?? 0, stop: () => void child.kill('SIGKILL') };
}

async function portFrom(child: ChildProcess, from: 'stdout' | 'stderr', pattern: RegExp): Promise<number> {
  const stream = child[from];
  if (stream) {
    for await (const line of createInterface({ input: stream })) {
      const port = pattern.exec(line)?.[1];
      if (port === undefined) continue;
      // Its output is no longer used, but a full pipe must not block the server.
      stream.resume();
      return Number(port);
    }
  }
  return await new Promise(() => {});
}

const ended = (child: ChildProcess, { command, args }: Program): Promise<never> =>
  new Promise((_resolve, reject) => {
    child.on('exit', (code) => reject(new Error(`${command} ${args.join(' ')} ended with ${code}`)));
  });
