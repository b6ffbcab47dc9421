import { isDeepStrictEqual } from 'node:util';
import { AppError, configError } from '../../../contract/errors.ts';
import type { Clock } from '../../../platform/clock.ts';
import { watchFiles } from '../../../platform/watch-files.ts';
import type { Logger } from '../../../serve/log.ts';
import type { LoadedGatewayConfig } from '../config/read-config.ts';

export interface ReloaderOptions {
  /** What runs now. */
  readonly config: LoadedGatewayConfig;
  readonly read: () => Promise<LoadedGatewayConfig>;
  /** Puts into force what can change while the gateway runs. If it rejects, nothing has changed. */
  readonly apply: (config: LoadedGatewayConfig) => Promise<void>;
  readonly log: Logger;
  readonly clock: Clock;
}

export interface Reloader {
  /** Rejects with what is wrong; then everything is as it was. */
  readonly reload: () => Promise<void>;
  /** Reloads by itself whenever the file changes. */
  readonly watch: () => void;
  /** Resolves when what is under way is done; nothing is reloaded any more. */
  readonly close: () => Promise<void>;
}

const SETTLE_MS = 200;

/** What is read at the start only, by the names that it has in the file. */
const FIXED = {
  server: 'host, port, tls, limits and the like',
  database: 'database_url or data_dir',
  masterKey: 'master_key',
  userLimits: 'user_limits',
  metrics: 'enable_metrics',
  tracing: 'otel',
  workflows: 'workflows',
} as const satisfies Partial<Record<keyof LoadedGatewayConfig, string>>;

/** Reloads go one after the other; all who ask while one is under way share the next one. */
export function createReloader({ config: first, read, apply, log, clock }: ReloaderOptions): Reloader {
  let current: Promise<void> = Promise.resolve();
  let next: Promise<void> | undefined;
  let isClosed = false;
  /** The file of what is in force. */
  let { file } = first;

  /** Whoever writes a file empties it first, or takes it away; a gateway that asks nobody is hardly what was meant. */
  async function readWhole(): Promise<LoadedGatewayConfig> {
    const config = await read();
    if (config.models.providers.length > 0 && !isGone(config)) return config;
    const { promise: settled, resolve } = Promise.withResolvers<void>();
    clock.after(SETTLE_MS, resolve);
    await settled;
    const settledConfig = await read();
    if (isGone(settledConfig)) throw gone(file);
    return settledConfig;
  }
  const isGone = (config: LoadedGatewayConfig): boolean => file !== undefined && config.file === undefined;
  async function run(): Promise<void> {
    if (isClosed) throw new AppError('UnavailableError', 'The gateway is stopping.');
    try {
      const config = await readWhole();
      await apply(config);
      ({ file } = config);
      log.info('The configuration was read again.');
      for (const warning of config.warnings) log.warn(warning);
      for (const [part, name] of Object.entries(FIXED)) {
        const key = part as keyof typeof FIXED;
        if (isDeepStrictEqual(config[key], first[key])) continue;
        log.warn(
          `What the configuration says of ${name} has changed; start the gateway anew for it to count.`,
        );
      }
    } catch (error) {
      const failure = AppError.from(error);
      // What somebody wrote wrongly is told by its sentence; where in our code it was found helps nobody.
      const context = failure.code === 'InternalError' ? { err: failure } : {};
      log.error(context, `The configuration was not changed: ${failure.message}`);
      throw failure;
    }
  }
  const reload = (): Promise<void> => {
    next ??= current
      .catch(() => undefined)
      .then(() => {
        next = undefined;
        return (current = run());
      });
    return next;
  };
  const files = watchFiles({
    clock,
    // What is wrong is in the log.
    onChange: () => void reload().catch(() => undefined),
    onTrouble: (message) => log.warn(message),
  });
  return {
    reload,
    watch: () => files.watch(first.files),
    async close() {
      isClosed = true;
      files.close();
      await current.catch(() => undefined);
    },
  };
}

/** Without its file a gateway would do without guardrails and aliases, and ask whom it finds in the environment. */
const gone = (file = ''): AppError =>
  configError(`${file} is not there any more. Put it back, or start the gateway anew to do without it.`);
