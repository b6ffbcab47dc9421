import { type Clock, systemClock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import { createReloader, type Reloader } from '#serve/program/reloader.ts';
import type { LoadedConfig } from '../config/read-config.ts';
import type { AppliedChanges, Supervisor } from './managed-server.ts';

interface ManagerReloaderOptions {
  /** The current configuration. */
  readonly config: LoadedConfig;
  readonly read: () => Promise<LoadedConfig>;
  readonly supervisor: Pick<Supervisor, 'apply'>;
  readonly log: Logger;
  /** Called before a configuration is applied, so that its secrets are redacted when its servers start. */
  readonly onRead?: (config: LoadedConfig) => void;
  /** Called after a configuration was applied. */
  readonly onApplied?: (config: LoadedConfig) => void;
  readonly clock?: Clock;
}

/** Creates a manager's reloader; the supervisor starts and stops servers according to the new configuration. */
export const createManagerReloader = ({
  supervisor,
  onRead,
  onApplied,
  clock = systemClock,
  ...options
}: ManagerReloaderOptions): Reloader<AppliedChanges> =>
  createReloader({
    ...options,
    clock,
    program: 'manager',
    isEmpty: ({ servers }) => servers.length === 0,
    async apply(config) {
      onRead?.(config);
      const changes = await supervisor.apply(config.servers);
      onApplied?.(config);
      return changes;
    },
    startOnly: { daemon: '[daemon]', plugins: '[plugins]' },
  });
