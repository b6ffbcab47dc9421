import { isDeepStrictEqual } from 'node:util';
import { AppError } from '../../../contract/errors.ts';
import { type Clock, systemClock } from '../../../platform/clock.ts';
import type { Logger } from '../../../serve/log.ts';
import type { ManagerConfig } from '../config/spec.ts';
import type { AppliedChanges, Reloader, Supervisor } from './managed-server.ts';
import { watchFiles } from '../../../platform/watch-files.ts';

export interface ReloaderOptions {
  /** What runs now. */
  readonly config: ManagerConfig;
  readonly read: () => Promise<ManagerConfig>;
  readonly supervisor: Supervisor;
  readonly log: Logger;
  /** Told of a configuration before it is applied, so that its secrets are known when its servers start. */
  readonly onRead?: (config: ManagerConfig) => void;
  /** Told of a configuration that is in force now. */
  readonly onConfig?: (config: ManagerConfig) => void;
  readonly clock?: Clock;
}

export interface WatchingReloader extends Reloader {
  /** Reloads by itself whenever one of the configuration's files changes. */
  readonly watch: () => void;
  /** Why the last reload failed; undefined when it did not. */
  readonly lastError: () => string | undefined;
  /** Reloads no more. One that is under way ends with the supervisor, if not before. */
  readonly close: () => Promise<void>;
}

/** What is read at the start only. */
const FIXED = ['daemon', 'plugins'] as const;

/** Reloads go one after the other; all who ask while one is under way share the next one. */
export function createReloader(options: ReloaderOptions): WatchingReloader {
  const { read, supervisor, log, clock = systemClock } = options;
  const { config: first } = options;
  let config = first;
  let lastError: string | undefined;
  let current: Promise<AppliedChanges> | undefined;
  let next: Promise<AppliedChanges> | undefined;
  let watching = false;
  let closed = false;

  async function run(): Promise<AppliedChanges> {
    if (closed) throw new AppError('UnavailableError', 'The manager is stopping.');
    try {
      const fresh = await read();
      options.onRead?.(fresh);
      const changes = await supervisor.apply(fresh.servers);
      config = fresh;
      lastError = undefined;
      if (watching && !closed) files.watch(config.files);
      options.onConfig?.(config);
      log.info({ ...changes }, 'The configuration was read again.');
      for (const part of FIXED) {
        if (!isDeepStrictEqual(fresh[part], first[part])) {
          log.warn(
            `[${part}] has changed, and is read at the start only: start the manager anew for it to count.`,
          );
        }
      }
      return changes;
    } catch (error) {
      const failure = AppError.from(error);
      lastError = failure.message;
      // What somebody wrote wrongly is told by its sentence; where in our code it was found helps nobody.
      const context = failure.code === 'InternalError' ? { err: failure } : {};
      log.error(context, `The configuration was not changed: ${failure.message}`);
      throw failure;
    }
  }
  function begin(): Promise<AppliedChanges> {
    const running = run().finally(() => {
      if (current === running) current = undefined;
    });
    current = running;
    return running;
  }
  function reload(): Promise<AppliedChanges> {
    if (!current) return begin();
    next ??= current
      .catch(() => {})
      .then(() => {
        next = undefined;
        return begin();
      });
    return next;
  }
  const files = watchFiles({
    clock,
    // What is wrong is in the log.
    onChange: () => void reload().catch(() => {}),
    onTrouble: (message) => log.warn(message),
  });
  return {
    reload,
    config: () => config,
    lastError: () => lastError,
    watch() {
      watching = true;
      files.watch(config.files);
    },
    close() {
      closed = true;
      files.close();
      return Promise.resolve();
    },
  };
}
