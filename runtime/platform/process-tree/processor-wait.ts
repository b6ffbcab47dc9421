import { readFileSync } from 'node:fs';
import { descendantsOf } from './descendants.ts';

/**
 * Returns for how many milliseconds a process and its descendants were ready to run but waited for
 * a CPU, as a sum over their main threads. 0 on systems that do not measure it.
 */
export function processorWaitOf(pid: number): number {
  return [pid, ...descendantsOf(pid).map((process) => process.pid)].reduce(
    (sum, one) => sum + waitOf(one),
    0,
  );
}

/** The second number in `schedstat` is the time spent in a CPU's run queue, in nanoseconds. */
function waitOf(pid: number): number {
  try {
    const [, wait] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    return Number(wait ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
