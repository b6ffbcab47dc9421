import { setTimeout } from 'node:timers/promises';
import { AppError } from '#contract/errors.ts';
import type { PackageInstallation, ProcessLaunch, PackageCommand } from '../../config/spec.ts';
import { describeExit, findCause } from '../process/find-cause.ts';
import { startFailure } from '../start-extension.ts';
import { LOCK_AGES_MS, npmCache, npxFolder, npxState, removeNpxFolder } from './npx-folder.ts';
import { once } from 'node:events';
import { createLineSplitter } from '#serve/mcp/line-splitter.ts';
import { type Clock, systemClock } from '#platform/clock.ts';
import { settlesWithin } from '#platform/wait-for.ts';
import { createLastLines } from '../process/process-transport.ts';
import { startChild } from '../process/spawn-child.ts';
import { MAX_LOG_LINE, type TransportHooks } from '../connection.ts';

export interface InstallOptions extends Omit<InstallerOptions, 'launch'> {
  /** Receives a description of what was repaired. */
  readonly onRepair: (text: string) => void;
}

/**
 * Installs a package before its server starts, so that the startup timeout only covers the server. An npx
 * folder left incomplete by an earlier installation would fail on every start; it is removed first.
 */
export async function installPackage(
  installation: PackageInstallation,
  launch: ProcessLaunch,
  options: InstallOptions,
): Promise<void> {
  const { label, check, command, npx } = installation;
  const run = { ...options, launch };
  const folder = npx && npxFolderOf(npx, launch);
  if (folder !== undefined) await repair(folder, label, options);
  if (check) {
    const { how } = await runInstaller(check, { ...run, onLine: undefined });
    if (how === 'code 0') return;
  }
  const { how, lines } = await runInstaller(command, run);
  if (how === 'code 0') return;
  // The next start must not find the remains of a failed or interrupted installation.
  if (folder !== undefined) await repair(folder, label, options);
  if (options.signal.aborted) throw new AppError('CancelledError', `Installing ${label} was canceled.`);
  const cause = findCause(lines);
  if (how === undefined) {
    const doing = cause === undefined ? '' : ` Last output: ${lines.at(-1)?.trim() ?? ''}`;
    throw startFailure(
      'TimeoutError',
      `${label} was not installed within ${options.timeoutMs} ms. Increase timeout_install, or check access to the registry.${doing}`,
      lines.slice(-5),
    );
  }
  const why = cause === undefined ? '' : ` The installer wrote: ${cause.text}`;
  const message = `${label} could not be installed (${describeExit(how)}).${why}`;
  throw startFailure('UpstreamError', message, cause?.lines ?? []);
}

/** Whether a package is known to be installed without running a program. */
export async function isInstalled(
  { npx, isExact }: PackageInstallation,
  launch: ProcessLaunch,
  now: number,
): Promise<boolean> {
  const folder = npx && isExact ? npxFolderOf(npx, launch) : undefined;
  return folder !== undefined && (await npxState(folder, now)) === 'complete';
}

const npxFolderOf = (packages: readonly string[], { env }: ProcessLaunch): string | undefined => {
  const cache = npmCache(env);
  return cache === undefined ? undefined : npxFolder(packages, cache);
};

async function repair(folder: string, label: string, { onRepair }: InstallOptions): Promise<void> {
  let state = await npxState(folder, Date.now());
  if (state === 'locked') {
    // The lock of a killed npm process gets old, because only a running npm process renews it.
    await setTimeout(LOCK_AGES_MS);
    state = await npxState(folder, Date.now());
  }
  if (state !== 'incomplete') return;
  onRepair(`an incomplete installation of ${label} was removed: ${folder}`);
  await removeNpxFolder(folder);
}

interface InstallerOptions extends Pick<TransportHooks, 'trees'> {
  /** The server's environment and working directory. */
  readonly launch: Pick<ProcessLaunch, 'env' | 'cwd'>;
  readonly timeoutMs: number;
  /** Cancels the installation when the manager stops. */
  readonly signal: AbortSignal;
  /**
   * Registers the process, so that it is terminated if the manager is killed. The returned function
   * unregisters it.
   */
  readonly watch?: ((pid: number) => () => void) | undefined;
  readonly onLine?: ((line: string) => void) | undefined;
  readonly clock?: Clock | undefined;
}

/** How an installer exited, with its last output. */
interface InstallerEnd {
  /** For example `code 0`; undefined if it was stopped by its time limit or the signal. */
  readonly how: string | undefined;
  readonly lines: readonly string[];
}

/** Time for an installer to exit after SIGTERM. npm and uv clean up partial writes. */
const END_MS = 2000;
/** Time to wait for the last output after the exit. */
const OUTPUT_MS = 300;

/** Runs a package's install command, with its own time limit. */
async function runInstaller(
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
