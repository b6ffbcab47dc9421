import { readFileSync } from 'node:fs';

/** Linux reports CPU time in ticks of a hundredth of a second. */
const TICK_MS = 10;

export interface ProcessorTime {
  /** User and system time of a process, in milliseconds. */
  readonly own: number;
  /** User and system time of its exited children. */
  readonly children: number;
}

/** Fields 14 to 17 of /proc/<pid>/stat, counted after the name, which can contain spaces. Throws if the process has exited. */
export function processorTime(pid: number): ProcessorTime {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const [user = 0, system = 0, userOfChildren = 0, systemOfChildren = 0] = fields.slice(11, 15).map(Number);
  return { own: (user + system) * TICK_MS, children: (userOfChildren + systemOfChildren) * TICK_MS };
}
