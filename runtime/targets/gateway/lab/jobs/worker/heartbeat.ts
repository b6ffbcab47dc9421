import type { Clock } from '../../../../../platform/clock.ts';
import type { WorkerClient } from './client.ts';

const HEARTBEAT_INTERVAL_MS = 3000;

/** Checks regularly whether the job is cancelled or its lease lost, which a worker with a long batch would notice too late. */
export function startHeartbeat(
  { heartbeat }: Pick<WorkerClient, 'heartbeat'>,
  clock: Clock,
  onOver: (reason: unknown) => void,
): { readonly stop: () => void } {
  let isStopped = false;
  let disarm = (): void => undefined;
  const check = async (): Promise<void> => {
    try {
      const { cancelled } = await heartbeat();
      if (cancelled) throw new Error('The job was cancelled.');
      if (!isStopped) disarm = clock.after(HEARTBEAT_INTERVAL_MS, () => void check());
    } catch (error) {
      if (!isStopped) onOver(error);
    }
  };
  disarm = clock.after(HEARTBEAT_INTERVAL_MS, () => void check());
  return {
    stop() {
      isStopped = true;
      disarm();
    },
  };
}
