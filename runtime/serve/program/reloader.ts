import { isDeepStrictEqual } from 'node:util';
import { AppError, configError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { watchFiles } from '#platform/watch-files.ts';
import type { Logger } from '../log.ts';
import { keysOf } from '#core/values/keys.ts';

/** A file that a configuration was read from. */
interface ConfigSource {
  readonly path: string;
  /** Whether the file is empty. */
  readonly isBlank: boolean;
}

export interface ReloadableConfig {
  /** Files to watch, including those that do not exist yet. */
  readonly files: readonly string[];
  /** The files among `files` that exist. */
  readonly sources: readonly ConfigSource[];
  /** Observations that rarely indicate a mistake. They are logged at info level. */
  readonly notes?: readonly string[];
  /** Problems that do not prevent the configuration from being applied. */
  readonly warnings: readonly string[];
  /** Problems in parts of the configuration. These parts are not applied. */
  readonly problems?: readonly string[];
}

export interface ReloaderOptions<Config extends ReloadableConfig, Changes extends object> {
  /** The program's name, for messages. */
  readonly program: string;
  /** The current configuration. */
  readonly config: Config;
  readonly read: () => Promise<Config>;
  /**
   * Whether a configuration contains nothing to serve. This usually means that the file is still
   * being written.
   */
  readonly isEmpty: (config: Config) => boolean;
  /** Applies a configuration and returns the changes, for the log. If it rejects, nothing has changed. */
  readonly apply: (config: Config) => Promise<Changes>;
  /** Settings that are only read at startup, with their names in the file. */
  readonly startOnly: Readonly<Partial<Record<keyof Config, string>>>;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface Reloader<Changes extends object> {
  /** Rejects if the new configuration cannot be applied. The old configuration then stays active. */
  readonly reload: () => Promise<Changes>;
  /** Reloads whenever one of the files changes. */
  readonly watch: () => void;
  /** Resolves when the running reload has finished. Later reloads are rejected. */
  readonly close: () => Promise<void>;
}

/** Time that a file must stay empty or missing before the change is applied. */
const SETTLE_MS = 200;

/**
 * Reloads run one after the other. All requests for a reload that arrive during a reload share the
 * next reload.
 */
export function createReloader<Config extends ReloadableConfig, Changes extends object>(
  options: ReloaderOptions<Config, Changes>,
): Reloader<Changes> {
  const { program, read, apply, log, clock } = options;
  let { config } = options;
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<Changes> | undefined;
  let isWatching = false;
  let isClosed = false;

  /**
   * Editors empty or remove a file before they write it. Applying that would stop everything that
   * the file configures.
   */
  async function readComplete(): Promise<Config> {
    const first = await read();
    const isEmptied = options.isEmpty(first) && !options.isEmpty(config);
    if (!isEmptied && missingIn(first, config).length === 0) return first;
    await new Promise<void>((resolve) => void clock.after(SETTLE_MS, resolve));
    const second = await read();
    const gone = config.sources.find(({ path }) => !has(second, path));
    if (gone) throw goneError(gone.path, program);
    return second;
  }
  async function run(): Promise<Changes> {
    if (isClosed) throw new AppError('UnavailableError', `The ${program} is stopping.`);
    try {
      const fresh = await readComplete();
      const changes: Changes = await apply(fresh);
      config = fresh;
      if (isWatching && !isClosed) files.watch(fresh.files);
      log.info<object>(changes, 'Configuration reloaded.');
      logConfigProblems(fresh, log);
      warnAboutStartOnly(fresh, options);
      return changes;
    } catch (error) {
      const failure = AppError.from(error);
      // The message explains a mistake in the file. A stack trace is only useful for a bug in the
      // program.
      const context = failure.code === 'InternalError' ? { err: failure } : {};
      log.error(context, `Configuration not reloaded: ${failure.message}`);
      throw failure;
    }
  }
  const reload = (): Promise<Changes> => {
    next ??= running.then(() => {
      next = undefined;
      const current = run();
      running = current.catch(() => undefined);
      return current;
    });
    return next;
  };
  const files = watchFiles({
    clock,
    // The reason for a failure is in the log.
    onChange: () => void reload().catch(() => undefined),
    onTrouble: (message) => log.warn(message),
  });
  return {
    reload,
    watch() {
      isWatching = true;
      files.watch(config.files);
    },
    async close() {
      isClosed = true;
      files.close();
      await running;
    },
  };
}

/** Logs the problems in a configuration that was applied despite these problems. */
export function logConfigProblems(
  { notes = [], warnings, problems = [] }: ReloadableConfig,
  log: Logger,
): void {
  for (const note of notes) log.info(note);
  for (const warning of warnings) log.warn(warning);
  for (const problem of problems) log.error(problem);
}

/** Files of the previous configuration that are now empty or missing. */
const missingIn = (fresh: ReloadableConfig, before: ReloadableConfig): readonly ConfigSource[] =>
  before.sources.filter(
    ({ path, isBlank }) =>
      !has(fresh, path) ||
      (!isBlank && fresh.sources.some((source) => source.path === path && source.isBlank)),
  );

const has = ({ sources }: ReloadableConfig, path: string): boolean =>
  sources.some((source) => source.path === path);

/** Without its file, a program would fall back to defaults that the user did not choose. */
const goneError = (path: string, program: string): AppError =>
  configError(`${path} no longer exists. Restore it, or restart the ${program} to run without it.`);

function warnAboutStartOnly<Config extends ReloadableConfig, Changes extends object>(
  fresh: Config,
  { config: first, startOnly, program, log }: ReloaderOptions<Config, Changes>,
): void {
  for (const part of keysOf(startOnly)) {
    if (isDeepStrictEqual(fresh[part], first[part])) continue;
    log.warn(`${startOnly[part]} changed; restart the ${program} to apply it.`);
  }
}
