import type { Clock } from '../../../../../platform/clock.ts';
import type { WorkerClient } from './client.ts';

const EVERY_MS = 3000;

/** Asks now and then whether the job is still this worker's, and wanted; a long batch would hear of it too late. */
export function startSignsOfLife(
  { alive }: Pick<WorkerClient, 'alive'>,
  clock: Clock,
  onOver: (reason: unknown) => void,
): { readonly stop: () => void } {
  let isStopped = false;
  let disarm = (): void => undefined;
  const ask = async (): Promise<void> => {
    try {
      const { cancelled } = await alive();
      if (cancelled) throw new Error('The job was cancelled.');
      if (!isStopped) disarm = clock.after(EVERY_MS, () => void ask());
    } catch (error) {
      if (!isStopped) onOver(error);
    }
  };
  disarm = clock.after(EVERY_MS, () => void ask());
  return {
    stop() {
      isStopped = true;
      disarm();
    },
  };
}
