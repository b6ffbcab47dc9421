import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AppError } from '../../../../../contract/errors.ts';
import { parseJsonText } from '../../../../../core/json/json-text.ts';
import type { Clock } from '../../../../../platform/clock.ts';

/** An executable that serves. */
export interface EncoderChild {
  readonly url: string;
  readonly pid: number;
  /** Resolves when it has ended, with how. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/** Takes the id of a process group; returns how to forget it again. */
export type WatchChild = (pid: number) => () => void;

export interface StartOptions {
  readonly path: string;
  /** What its callers have to send: other users of the machine can reach its port too. */
  readonly apiKey: string;
  readonly clock: Clock;
  /** Aborted when it is not wanted any more before it serves. */
  readonly signal: AbortSignal;
  /** A line of its log that is not about its start. */
  readonly onLine: (line: string) => void;
  readonly watch?: WatchChild | undefined;
}

/** Of our environment, it is given only what programs need to run; the rest may be secret. */
const PASSED_ON = ['PATH', 'HOME', 'TMPDIR', 'TEMP', 'XDG_CACHE_HOME', 'LOCALAPPDATA', 'SystemRoot', 'LANG'];
const DRAIN_SECONDS = 5;
const KILL_AFTER_MS = (DRAIN_SECONDS + 3) * 1000;
const ARGUMENTS = ['serve', '--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc'];

/** Starts an executable; resolves when it serves, and rejects with an UnavailableError if it ends before. */
export async function startEncoder({
  path,
  apiKey,
  clock,
  signal,
  onLine,
  watch,
}: StartOptions): Promise<EncoderChild> {
  const passed = PASSED_ON.flatMap((name) =>
    process.env[name] === undefined ? [] : [[name, process.env[name]]],
  );
  const child = spawn(path, [...ARGUMENTS, '--drain-seconds', String(DRAIN_SECONDS)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...(Object.fromEntries(passed) as NodeJS.ProcessEnv), ENCODERFILE_API_KEY: apiKey },
    // At the head of a group of its own, so that what outlives us can be ended as one.
    detached: process.platform !== 'win32',
    windowsHide: true,
    signal,
    killSignal: 'SIGKILL',
  });
  const exited = endOf(child);
  if (child.pid !== undefined && watch) void exited.then(watch(child.pid));
  const port = await Promise.race([portOf(child, onLine), exited]);
  if (typeof port === 'string') {
    throw new AppError('UnavailableError', `\`${path}\` could not be started: ${port}.`);
  }
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid as number,
    exited,
    async stop() {
      child.kill('SIGTERM');
      const disarm = clock.after(KILL_AFTER_MS, () => child.kill('SIGKILL'));
      await exited;
      disarm();
    },
  };
}

async function endOf(child: ChildProcess): Promise<string> {
  const failed = once(child, 'error').then(([error]) => (error as Error).message);
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal ? `it was ended by ${signal}` : `it ended with code ${code}`),
    );
  });
  failed.catch(() => undefined);
  return Promise.race([ended, failed]);
}

/** It tells its port in the line of its log that says it serves. */
function portOf(child: ChildProcess, onLine: (line: string) => void): Promise<number> {
  return new Promise((resolve) => {
    const lines = createInterface({ input: child.stderr as NodeJS.ReadableStream });
    lines.on('line', (line) => {
      const port = servingPort(line);
      if (port === undefined) onLine(line);
      else resolve(port);
    });
  });
}

function servingPort(line: string): number | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { msg, http } = parseJsonText(line) as { readonly msg?: unknown; readonly http?: unknown };
    return msg === 'serving' && typeof http === 'number' ? http : undefined;
  } catch {
    return undefined;
  }
}
