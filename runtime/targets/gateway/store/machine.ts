import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Returns a name for the process id namespace of this machine. A host name is not enough: two containers can have the same, and after
 * a restart of the machine, new processes can have old ids.
 */
export function machineName(): string {
  if (process.platform !== 'linux') return hostname();
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${hostname()} ${boot} ${readlinkSync('/proc/self/ns/pid')}`;
  } catch {
    return `${hostname()} ${process.pid} ${Date.now()}`;
  }
}

/** Whether a process of this machine can be running. True is not certain, because another process can have its id by now. */
export function canBeRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Whether a process of this machine, which reported at `seen_at` that it is alive, has ended. */
export const isGone = ({ pid, seen_at }: { readonly pid: number; readonly seen_at: number }): boolean =>
  // An earlier process can have had the id of this one. Its report is older than this process.
  pid === process.pid ? seen_at < performance.timeOrigin : !canBeRunning(pid);
