import { availableParallelism } from 'node:os';
import { TurnQueue } from '#core/limits/turn-queue.ts';
import type { Clock } from '#platform/clock.ts';
import type { PackageInstallation, ProcessLaunch } from '../../config/spec.ts';
import type { TransportHooks } from '../connection.ts';
import { installPackage, isInstalled } from './install-package.ts';
import { greatest } from '#core/numbers/extremes.ts';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { userCacheFolders } from '#platform/files/home-folder.ts';

/** Installs the servers' packages before they start: a few at a time, each one once. */
export interface PackageInstaller {
  /** Resolves when a launch's package is installed; immediately if it is known to be. */
  install(launch: ProcessLaunch, options: InstallRequest): Promise<void>;
  /** Called when a server failed before its handshake: its package is checked before the next start. */
  distrust(launch: ProcessLaunch): void;
  /** Cancels all installations. */
  close(): Promise<void>;
}

interface InstallRequest {
  readonly timeoutMs: number;
  /** Receives the installation status; not called if the package is already installed. */
  readonly onProgress: (text: string) => void;
  readonly onWarning: (text: string) => void;
}

export interface InstallerParts extends Pick<TransportHooks, 'trees'> {
  readonly clock: Clock;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly watch?: ((pid: number) => () => void) | undefined;
}

/** Installations download and unpack, so running more of them than there are CPUs only slows each one down. */
const MAX_PARALLEL = 4;
const MAX_LINE = 160;

interface Running {
  readonly done: Promise<void>;
  readonly requests: Set<InstallRequest>;
}

export function createPackageInstaller({ clock, env, ...host }: InstallerParts): PackageInstaller {
  const turns = new TurnQueue(Math.min(MAX_PARALLEL, availableParallelism()), Number.POSITIVE_INFINITY);
  const closing = new AbortController();
  const running = new Map<string, Running>();
  const marks = createInstalledMarks(env);

  async function start(
    key: string,
    launch: ProcessLaunch,
    installation: PackageInstallation,
    requests: ReadonlySet<InstallRequest>,
  ): Promise<void> {
    const progress = (text: string): void => {
      for (const { onProgress } of requests) onProgress(text);
    };
    const { label } = installation;
    const turn = turns.ask();
    if (turn.kind === 'refused') return;
    try {
      if (turn.kind === 'waiting') {
        progress(`waiting to install ${label}: other installations are running`);
        await turn.granted;
      }
      closing.signal.throwIfAborted();
      const startedAt = clock.now();
      progress(`installing ${label}`);
      await installPackage(installation, launch, {
        ...host,
        clock,
        signal: closing.signal,
        timeoutMs: greatest(Array.from(requests, ({ timeoutMs }) => timeoutMs)),
        onRepair: (text) => requests.forEach(({ onWarning }) => onWarning(text)),
        onLine(line) {
          const seconds = Math.round((clock.now() - startedAt) / 1000);
          progress(`installing ${label} for ${seconds} s: ${line.trim().slice(0, MAX_LINE)}`);
        },
      });
      marks.set(key, launch);
    } finally {
      turn.leave();
    }
  }

  return {
    async install(launch, request) {
      const { installation } = launch;
      if (!installation) return;
      const key = keyOf(installation);
      if (marks.has(key, installation, launch) || (await isInstalled(installation, launch, clock.now())))
        return;
      let current = running.get(key);
      if (!current) {
        const requests = new Set([request]);
        const done = start(key, launch, installation, requests).finally(() => running.delete(key));
        current = { done, requests };
        running.set(key, current);
      }
      current.requests.add(request);
      await current.done;
    },
    distrust({ installation }) {
      if (installation) marks.delete(keyOf(installation));
    },
    async close() {
      closing.abort();
      await Promise.allSettled(Array.from(running.values(), ({ done }) => done));
    },
  };
}

const keyOf = ({ command }: PackageInstallation): string =>
  JSON.stringify([command.command, ...command.args]);

/**
 * Remembers which packages are installed, even across manager restarts, because asking uv costs half a second
 * of CPU time per server. A marker file contains the identity of uv's cache, so it becomes invalid when the
 * cache is removed.
 */
interface InstalledMarks {
  has(key: string, installation: PackageInstallation, launch: ProcessLaunch): boolean;
  set(key: string, launch: ProcessLaunch): void;
  delete(key: string): void;
}

function createInstalledMarks(env: Readonly<Record<string, string | undefined>>): InstalledMarks {
  const [cache] = userCacheFolders(env);
  const folder = cache === undefined ? undefined : join(cache, 'mcp-manager-installed');
  /** Packages that this process installed or found. */
  const known = new Set<string>();
  const fileOf = (key: string): string | undefined =>
    folder && join(folder, createHash('sha256').update(key).digest('hex').slice(0, 32));

  return {
    has(key, { isExact, uvx = false }, launch) {
      if (!isExact) return false;
      if (known.has(key)) return true;
      const file = fileOf(key);
      const identity = uvx ? cacheIdentity(launch) : undefined;
      if (file === undefined || identity === undefined) return false;
      return readMark(file) === identity;
    },
    set(key, launch) {
      if (launch.installation?.npx) return;
      known.add(key);
      const file = fileOf(key);
      const identity = launch.installation?.uvx ? cacheIdentity(launch) : undefined;
      if (folder === undefined || file === undefined || identity === undefined) return;
      try {
        mkdirSync(folder, { recursive: true, mode: 0o700 });
        writeFileSync(file, identity, { mode: 0o600 });
      } catch {
        // Without a writable cache, the manager asks uv again after a restart.
      }
    },
    delete(key) {
      known.delete(key);
      const file = fileOf(key);
      try {
        if (file !== undefined) rmSync(file, { force: true });
      } catch {
        // A marker that cannot be removed costs one slow start at most.
      }
    },
  };
}

function readMark(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

/** Identifies uv's cache folder by path and inode, which changes when the folder is recreated. */
function cacheIdentity({ env }: ProcessLaunch): string | undefined {
  const path = uvCache(env);
  if (!path) return undefined;
  try {
    const { dev, ino } = statSync(path);
    return `${path} ${dev} ${ino}`;
  } catch {
    return undefined;
  }
}

function uvCache(env: Readonly<Record<string, string | undefined>>): string | undefined {
  if (env['UV_CACHE_DIR']) return env['UV_CACHE_DIR'];
  if (process.platform === 'win32') return env['LOCALAPPDATA'] && join(env['LOCALAPPDATA'], 'uv', 'cache');
  if (env['XDG_CACHE_HOME']) return join(env['XDG_CACHE_HOME'], 'uv');
  return env['HOME'] && join(env['HOME'], '.cache', 'uv');
}
