import { randomUUID } from 'node:crypto';
import { machineName, mayRun } from '../../store/machine.ts';

/** Who has a job: a process, and whether it can be told here that it is gone. */
export interface Holder {
  readonly name: string;
  /** Only of processes of this machine; about others nobody here knows. */
  readonly isGone: (name: string) => boolean;
}

export function createHolder(): Holder {
  const machine = machineName();
  const name = [machine, process.pid, randomUUID()].join('\t');
  return {
    name,
    isGone(other) {
      const [itsMachine, pid] = other.split('\t');
      return itsMachine === machine && Number(pid) !== process.pid && !mayRun(Number(pid));
    },
  };
}
