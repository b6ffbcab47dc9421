import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { inheritedEnvironment } from '#platform/inherited-environment.ts';
import { GROUP_LEADER, leadGroup, releaseGroup } from '#platform/process-group.ts';
import { AppError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Clock } from '#platform/clock.ts';
import { membersOf } from '#core/json/members-of.ts';

/** A child process that runs an executable and accepts requests. */
export interface EncoderChild {
  readonly url: string;
  readonly pid: number;
  /** Resolves when the process has exited, with the reason as a clause. */
  readonly exited: Promise<string>;
  stop(): Promise<void>;
}

/**
 * Registers the ID of a process group, so that the group can be terminated if this program crashes. Returns
 * a function that unregisters the ID.
 */
export type WatchChild = (pid: number) => () => void;

export interface ChildOptions {
  readonly path: string;
  /**
   * The key that callers must send. It is required because other users of the machine can also reach the
   * process's port.
   */
  readonly apiKey: string;
  readonly clock: Clock;
  /** Aborted if the process is no longer needed although it does not accept requests yet. */
  readonly signal: AbortSignal;
  /** Called with each log line, except the one that reports the port. */
  readonly onLine: (line: string) => void;
  readonly watch?: WatchChild | undefined;
  /** Additional environment variables. */
  readonly env?: Readonly<Record<string, string>> | undefined;
}

const DRAIN_SECONDS = 5;
const KILL_AFTER_MS = (DRAIN_SECONDS + 3) * 1000;
const ARGUMENTS = ['serve', '--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc'];

/**
 * Starts an executable. Resolves when it accepts requests; rejects with an UnavailableError if it exits
 * before that.
 */
export async function startEncoder({
  path,
  apiKey,
  clock,
  signal,
  onLine,
  watch,
  env = {},
}: ChildOptions): Promise<EncoderChild> {
  const child = spawn(path, [...ARGUMENTS, '--shutdown-timeout', String(DRAIN_SECONDS)], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...inheritedEnvironment(), ...env, ENCODERFILE_API_KEY: apiKey },
    // The process leads its own group, so that it can be terminated together with all of its descendants.
    ...GROUP_LEADER,
    signal,
    killSignal: 'SIGKILL',
  });
  const exited = endOf(child);
  const { pid } = child;
  if (pid !== undefined) {
    leadGroup(pid);
    void exited.then(() => releaseGroup(pid));
    if (watch) void exited.then(watch(pid));
  }
  const port = await Promise.race([portOf(child, onLine), exited]);
  if (typeof port === 'string') {
    throw new AppError('UnavailableError', `Cannot start \`${path}\`: ${port}.`);
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
  const failed = once(child, 'error').then(([error]) => messageOf(error));
  const ended = new Promise<string>((resolve) => {
    child.once('exit', (code, signal) =>
      resolve(signal ? `killed by ${signal}` : `exited with code ${code}`),
    );
  });
  failed.catch(() => undefined);
  return Promise.race([ended, failed]);
}

/** Parses the port from the log line that reports that the process accepts requests. */
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
    const { msg, http } = membersOf(parseJsonText(line));
    return msg === 'serving' && typeof http === 'number' ? http : undefined;
  } catch {
    return undefined;
  }
}
