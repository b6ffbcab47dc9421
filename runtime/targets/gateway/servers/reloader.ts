import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { createReloader, type Reloader } from '#serve/program/reloader.ts';
import type { LoadedGatewayConfig } from '../config/read-config.ts';

interface GatewayReloaderOptions {
  /** The current configuration. */
  readonly config: LoadedGatewayConfig;
  readonly read: () => Promise<LoadedGatewayConfig>;
  /** Applies the settings that can change while the gateway is running. If it rejects, nothing has changed. */
  readonly apply: (config: LoadedGatewayConfig) => Promise<void>;
  readonly log: Logger;
  readonly clock: Clock;
}

/** Configuration sections that are read only at startup, with their names in the configuration file. */
const START_ONLY = {
  server: 'A server setting (e.g. host, port, tls, threads or limits)',
  database: 'database_url or data_dir',
  masterKey: 'master_key',
  userLimits: 'user_limits',
  signIn: 'sign_in',
  workloads: 'workloads',
  metrics: 'metrics',
  tracing: 'otel',
  workflows: 'workflows',
} as const satisfies Partial<Record<keyof LoadedGatewayConfig, string>>;

export const createGatewayReloader = ({ apply, ...options }: GatewayReloaderOptions): Reloader<object> =>
  createReloader({
    ...options,
    program: 'gateway',
    isEmpty: ({ models }) => models.providers.length === 0,
    async apply(config) {
      await apply(config);
      return {};
    },
    startOnly: START_ONLY,
  });
