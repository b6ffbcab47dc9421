import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { messageOf } from '#contract/errors.ts';
import { endChild, endGroup, GROUP_LEADER, leadGroup } from '#platform/process-group.ts';
import { settlesWithin } from '#platform/wait-for.ts';
import type { WatchChild } from '#serve/encoder/start-encoder.ts';
import { inheritedEnvironment } from '#platform/inherited-environment.ts';
import { type Compute, type WorkerEnded, JOB_TOKEN_VARIABLE, JOB_URL_VARIABLE } from './compute.ts';

export interface LocalOptions {
  /** Program and arguments that start a worker. */
  readonly command: readonly string[];
  readonly watch: WatchChild;
}

const MAX_STDERR_LINES = 20;
const SHUTDOWN_MS = 5000;
const LEFTOVERS_MS = 1000;

/** Runs workers as child processes, which end with the gateway. */
export function createLocalCompute({ command, watch }: LocalOptions): Compute {
  const [program = '', ...args] = command;
  return {
    name: 'local',
    capacity: () => Promise.resolve(availableParallelism()),
    async run({ gatewayUrl, token }, { started }, signal) {
      await started();
      const child = spawn(program, [...args, 'job', 'run', '--attached'], {
        stdio: ['pipe', 'ignore', 'pipe'],
        env: {
          ...inheritedEnvironment(),
          [JOB_URL_VARIABLE]: gatewayUrl,
          [JOB_TOKEN_VARIABLE]: token,
        },
        // The worker leads its own process group, so that all of its descendants can be ended with it.
        ...GROUP_LEADER,
      });
      return await untilEnded(child, signal, watch);
    },
    close: () => Promise.resolve(),
  };
}

async function untilEnded(child: ChildProcess, signal: AbortSignal, watch: WatchChild): Promise<WorkerEnded> {
  const { pid } = child;
  const exited = endOf(child);
  const lines: string[] = [];
  if (pid === undefined) return { kind: 'ended', ...(await exited), lines };
  leadGroup(pid);
  const forget = watch(pid);
  const stdin = child.stdin as Writable;
  // Writing to a worker that has ended fails; that is not an error here.
  stdin.on('error', () => undefined);
  const stderr = createInterface({ input: child.stderr as Readable });
  const stderrClosed = once(stderr, 'close');
  stderr.on('line', (line) => {
    lines.push(line);
    if (lines.length > MAX_STDERR_LINES) lines.shift();
  });
  let ending: Promise<void> | undefined;
  const stop = (): void => void (ending ??= endChild({ streams: { stdin }, pid, exited }, SHUTDOWN_MS));
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  const end = await exited;
  signal.removeEventListener('abort', stop);
  await ending;
  await endGroup(pid, LEFTOVERS_MS);
  forget();
  await settlesWithin(LEFTOVERS_MS, stderrClosed);
  stderr.close();
  return { kind: 'ended', ...end, lines };
}

const endOf = (child: ChildProcess): Promise<Pick<WorkerEnded, 'how' | 'succeeded'>> =>
  new Promise((resolve) => {
    child.once('error', (error) =>
      resolve({ how: `failed to start: ${messageOf(error)}`, succeeded: false }),
    );
    child.once('exit', (code, signal) =>
      resolve({ how: signal ? `signal ${signal}` : `exit code ${code}`, succeeded: code === 0 }),
    );
  });
