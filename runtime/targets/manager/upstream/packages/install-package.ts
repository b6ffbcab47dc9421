import { setTimeout } from 'node:timers/promises';
import { AppError } from '#contract/errors.ts';
import type { PackageInstallation, ProcessLaunch } from '../../config/spec.ts';
import { describeExit, findCause } from '../process/find-cause.ts';
import { startFailure } from '../start-failure.ts';
import { LOCK_STALE_MS, npmCache, npxFolder, npxState, removeNpxFolder } from './npx-folder.ts';
import { type InstallerOptions, runInstaller } from './run-installer.ts';

export interface InstallOptions extends Omit<InstallerOptions, 'launch'> {
  /** Receives what was repaired. */
  readonly onRepair: (text: string) => void;
}

/**
 * Installs a package before its server starts, so that the startup timeout is for the server alone. A folder of npx that an earlier
 * installation left incomplete would fail for ever; it is removed first.
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
  // An installation that failed or was ended must not be the one that the next start finds.
  if (folder !== undefined) await repair(folder, label, options);
  if (options.signal.aborted) throw new AppError('CancelledError', `Installing ${label} was cancelled.`);
  const cause = findCause(lines);
  if (how === undefined) {
    const doing = cause === undefined ? '' : ` Last output: ${lines.at(-1)?.trim() ?? ''}`;
    throw startFailure(
      'TimeoutError',
      `${label} was not installed within ${options.timeoutMs} ms. Increase timeout_install, or check the access to the registry.${doing}`,
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
    // The lock of an npm that was killed ages, the lock of a running one does not.
    await setTimeout(LOCK_STALE_MS);
    state = await npxState(folder, Date.now());
  }
  if (state !== 'incomplete') return;
  onRepair(`an incomplete installation of ${label} was removed: ${folder}`);
  await removeNpxFolder(folder);
}
