import { once } from 'node:events';
import { createLineSplitter } from '#serve/mcp/line-splitter.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { settlesWithin } from '#platform/settles-within.ts';
import type { PackageCommand, ProcessLaunch } from '../../config/spec.ts';
import { createLastLines } from '../process/last-lines.ts';
import { startChild } from '../process/start-child.ts';
import { MAX_LOG_LINE, type TransportHooks } from '../transport.ts';

export interface InstallerOptions extends Pick<TransportHooks, 'trees'> {
  /** The environment and the working directory of the server. */
  readonly launch: Pick<ProcessLaunch, 'env' | 'cwd'>;
  readonly timeoutMs: number;
  /** Ends the installation when the manager stops. */
  readonly signal: AbortSignal;
  /** Registers the process, so that it ends if the manager is killed; the returned function ends that. */
  readonly watch?: ((pid: number) => () => void) | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** How an installer ended, with its last lines. */
export interface InstallerEnd {
  /** Such as `code 0`, or undefined if it was ended because of its time limit or the signal. */
  readonly how: string | undefined;
  readonly lines: readonly string[];
}

/** Time for an installer to end after SIGTERM. npm and uv clean up what they were writing. */
const END_MS = 2000;
/** Time for the last output to arrive after the exit. */
const OUTPUT_MS = 300;

/** Runs the command that installs a package, within a time limit of its own. */
export async function runInstaller(
  { command, args }: PackageCommand,
  { launch: { env, cwd }, timeoutMs, signal, trees, watch, onLine, clock = systemClock }: InstallerOptions,
): Promise<InstallerEnd> {
  const last = createLastLines();
  const child = await startChild({ kind: 'process', command, args, env, cwd }, { trees });
  const unwatch = watch?.(child.pid);
  const { stdin, stdout, stderr } = child.streams;
  stdin.end();
  stdin.on('error', () => undefined);
  for (const stream of [stdout, stderr]) {
    const lines = createLineSplitter(MAX_LOG_LINE, { cut: true });
    const add = (line: { readonly text: string } | { readonly tooLong: true }): void => {
      if (!('text' in line) || line.text.trim() === '') return;
      last.add(line.text);
      onLine?.(line.text);
    };
    stream.on('data', (chunk: Buffer) => lines.push(chunk).forEach(add));
    stream.once('end', () => lines.end().forEach(add));
    stream.on('error', () => undefined);
  }
  const streamsDone = once(child.streams, 'close');
  const late = Promise.withResolvers<undefined>();
  const onAbort = (): void => late.resolve(undefined);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  const forget = clock.after(timeoutMs, onAbort);
  try {
    const how = await Promise.race([child.exited, late.promise]);
    await child.tree.end(how === undefined ? END_MS : OUTPUT_MS);
    await settlesWithin(OUTPUT_MS, streamsDone);
    return { how, lines: last.all() };
  } finally {
    forget();
    signal.removeEventListener('abort', onAbort);
    stdout.destroy();
    stderr.destroy();
    unwatch?.();
  }
}
