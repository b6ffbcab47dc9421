import type { Clock } from '#platform/clock.ts';
import { TimeoutFailure } from '../upstream/connection.ts';
import type { Health, HealthStatus } from './managed-server.ts';
import type { Session } from './session.ts';

export interface HealthSettings {
  readonly healthMs: number;
  readonly healthIntervalMs: number;
}

/**
 * Number of consecutive checks without a response or any other message from the server, after which it counts
 * as hung.
 */
const HUNG_CHECKS = 3;

export interface HealthMonitorOptions {
  readonly settings: HealthSettings;
  readonly clock: Clock;
  /** The request timeout. A server that is busy with a request can be silent for that long. */
  readonly requestMs: () => number;
  readonly onHung: (session: Session) => void;
}

/** Checks one server's health, immediately after it connects and then periodically. Checks never overlap. */
export class HealthMonitor {
  readonly #options: HealthMonitorOptions;
  #health: Health = {
    status: 'unknown',
    lastChecked: undefined,
    lastSuccessful: undefined,
    latencyNs: undefined,
  };
  #session: Session | undefined;
  #cancel: (() => void) | undefined;
  #silent = { checks: 0, since: 0, signsOfLife: 0 };

  constructor(options: HealthMonitorOptions) {
    this.#options = options;
  }

  health(): Health {
    return this.#health;
  }

  /** Starts checking a new session. */
  watch(session: Session): void {
    this.#session = session;
    this.#silent = { checks: 0, since: 0, signsOfLife: session.signsOfLife };
    this.#cancel?.();
    void this.#check(session);
  }

  /** Records that the server is unreachable until the next session. */
  down(): void {
    this.#session = undefined;
    this.#record('unreachable');
    this.#schedule(0);
  }

  /** Stops checks while the server is idle. */
  pause(): void {
    this.stop();
    this.#health = { ...this.#health, status: 'unknown', latencyNs: undefined };
  }

  stop(): void {
    this.#session = undefined;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  async #check(session: Session): Promise<void> {
    const { clock, settings } = this.#options;
    const startedAt = clock.now();
    const outcome = await session.check(settings.healthMs).then(
      (latencyNs) => ({ status: 'ok' as const, latencyNs }),
      (error: unknown) => ({
        status: error instanceof TimeoutFailure ? ('timeout' as const) : ('unreachable' as const),
        latencyNs: undefined,
      }),
    );
    // The session was meanwhile replaced or has ended, so the result is outdated.
    if (this.#session !== session) return;
    this.#record(outcome.status, outcome.latencyNs);
    this.#schedule(clock.now() - startedAt);
    if (this.#hangs(session, startedAt)) this.#options.onHung(session);
  }

  #schedule(elapsed: number): void {
    const { clock, settings } = this.#options;
    this.#cancel?.();
    this.#cancel = clock.after(Math.max(0, settings.healthIntervalMs - elapsed), () => {
      if (this.#session) void this.#check(this.#session);
      else this.down();
    });
  }

  #record(status: HealthStatus, latencyNs?: number): void {
    const now = this.#options.clock.now();
    const lastSuccessful = status === 'ok' ? now : this.#health.lastSuccessful;
    this.#health = { status, lastChecked: now, lastSuccessful, latencyNs };
  }

  #hangs(session: Session, checkedAt: number): boolean {
    if (this.#health.status !== 'timeout' || session.signsOfLife !== this.#silent.signsOfLife) {
      this.#silent = { checks: 0, since: checkedAt, signsOfLife: session.signsOfLife };
    }
    if (this.#health.status !== 'timeout') return false;
    if (this.#silent.checks === 0) this.#silent.since = checkedAt;
    this.#silent.checks += 1;
    const silentFor = this.#options.clock.now() - this.#silent.since;
    return this.#silent.checks >= HUNG_CHECKS && silentFor >= this.#options.requestMs();
  }
}
