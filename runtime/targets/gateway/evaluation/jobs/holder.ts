import { randomUUID } from 'node:crypto';
import { machineName, canBeRunning } from '../../store/machine.ts';

/** The process that holds a job. */
export interface Holder {
  readonly name: string;
  /** Whether a holder has ended. Known only for processes of this machine; false for all others. */
  readonly isGone: (name: string) => boolean;
}

export function createHolder(): Holder {
  const machine = machineName();
  const name = [machine, process.pid, randomUUID()].join('\t');
  return {
    name,
    isGone(other) {
      const [itsMachine, pid] = other.split('\t');
      return itsMachine === machine && Number(pid) !== process.pid && !canBeRunning(Number(pid));
    },
  };
}
