import type { TurnQueue } from '#core/limits/turn-queue.ts';
import type { Clock } from '#platform/clock.ts';
import type { Logger } from '#serve/log.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { Connection, ConnectionHooks } from '../upstream/connection.ts';
import type { PackageInstaller } from '../upstream/packages/package-installer.ts';
import type { SignInState, SignInTarget } from '../sign-in/sign-in-store.ts';
import type { ServerEvent } from './managed-server.ts';
import type { HealthSettings } from './health-monitor.ts';
import type { InstanceLimit } from './instance-limit.ts';
import type { ServerUser } from '../access/caller.ts';
import type { UserValues } from '../user-secrets/user-values.ts';

export type OpenConnection = (
  spec: ServerSpec,
  hooks: ConnectionHooks,
  signal?: AbortSignal,
) => Promise<Connection>;

/** Dependencies of every supervised server. */
export interface ServerParts {
  readonly open: OpenConnection;
  /** Installs packages before their servers start; if undefined, starting the server installs its package. */
  readonly installer?: PackageInstaller | undefined;
  /** Limits how many processes start concurrently. */
  readonly starts: TurnQueue;
  readonly settings: HealthSettings;
  readonly log: Logger;
  /** Redacts secrets in a text about a server. */
  readonly redact: (text: string, server: string) => string;
  /** Returns whether a user is signed in to a server; undefined for servers without sign-in. */
  readonly signInState?: ((target: SignInTarget) => SignInState | undefined) | undefined;
  /** Fills in values of users. Without it, servers with such values cannot start. */
  readonly userValues?: UserValues | undefined;
  /** The connection's user, for servers with one connection per user. */
  readonly user?: string | undefined;
  /** The connection's user with the latest access token. */
  readonly currentUser?: (() => ServerUser) | undefined;
  /** Limits the number of processes or connections of users. */
  readonly instances?: InstanceLimit | undefined;
  readonly clock: Clock;
  /** Returns a random number between 0 and 1, used for restart delays. */
  readonly random: () => number;
  readonly emit: (event: ServerEvent) => void;
  readonly onRestart: (server: string, reason: RestartReason) => void;
}

export type RestartReason = 'ended' | 'failed-start' | 'hung' | 'requested' | 'reload';
