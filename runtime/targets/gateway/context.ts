import type { Clock } from '../../platform/clock.ts';
import type { Kernel } from '../../serve/kernel.ts';
import type { Completions } from './completions/api.ts';
import type { GatewayState } from './gateway-state.ts';
import type { CurrentModels } from './models/api.ts';
import type { Telemetry } from './telemetry/api.ts';

/** What the routes of the gateway share. */
export interface GatewayContext {
  readonly kernel: Kernel;
  readonly clock: Clock;
  readonly state: GatewayState;
  readonly models: CurrentModels;
  readonly completions: Completions;
  readonly telemetry: Telemetry;
  readonly version: string;
  /** Whether the database can be asked now. */
  readonly databaseWorks: () => Promise<boolean>;
  /** Reads the configuration again. Throws what is wrong with it, and goes on with the one before. */
  readonly reload: () => Promise<void>;
}
