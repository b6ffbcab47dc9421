import type { Clock } from '#platform/clock.ts';
import type { WorkerClient } from './client.ts';
import type { WorkerLease } from './protocol.ts';

const HEARTBEAT_INTERVAL_MS = 3000;

interface HeartbeatParts {
  readonly client: Pick<WorkerClient, 'heartbeat'>;
  readonly clock: Clock;
  /** The lease to renew; null between ranges. */
  readonly range: () => WorkerLease | null;
  /** Called when the worker has lost its rows or its job. */
  readonly onLost: (reason: unknown, range: WorkerLease | null) => void;
}

/** Renews the lease of a worker's rows, and checks whether the job is cancelled, which a worker with a long batch would notice too late. */
export function startHeartbeat({ client, clock, range, onLost }: HeartbeatParts): {
  readonly stop: () => void;
} {
  let isStopped = false;
  let disarm = (): void => undefined;
  const check = async (): Promise<void> => {
    const renewed = range();
    try {
      const { cancelled } = await client.heartbeat(renewed);
      if (cancelled) throw new Error('The job was cancelled.');
    } catch (error) {
      if (!isStopped) onLost(error, renewed);
    }
    if (!isStopped) disarm = clock.after(HEARTBEAT_INTERVAL_MS, () => void check());
  };
  disarm = clock.after(HEARTBEAT_INTERVAL_MS, () => void check());
  return {
    stop() {
      isStopped = true;
      disarm();
    },
  };
}
