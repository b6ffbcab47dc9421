import { readFileSync } from 'node:fs';
import { descendantsOf } from './descendants.ts';

/**
 * Returns for how many milliseconds a process and those that it has started were ready to run, but waited for a processor, as a sum of
 * their main threads. 0 on systems that do not count it.
 */
export function processorWaitOf(pid: number): number {
  return [pid, ...descendantsOf(pid).map((process) => process.pid)].reduce(
    (sum, one) => sum + waitOf(one),
    0,
  );
}

/** The second number of `schedstat` is the time in the queue of a processor, in nanoseconds. */
function waitOf(pid: number): number {
  try {
    const [, wait] = readFileSync(`/proc/${pid}/schedstat`, 'latin1').split(' ');
    return Number(wait ?? 0) / 1e6;
  } catch {
    return 0;
  }
}
