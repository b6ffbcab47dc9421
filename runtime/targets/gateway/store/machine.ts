import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Returns a name for this machine's process ID namespace. A host name is not sufficient: two containers can
 * have the same one, and after a reboot, new processes can have old IDs.
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

/**
 * Whether a process on this machine may be running. A true result is not certain, because another process may
 * have its ID by now.
 */
export function canBeRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errorCode(error) !== 'ESRCH';
  }
}

/** Whether a process on this machine, which last reported at `seen_at` that it is alive, has ended. */
export const isGone = ({ pid, seen_at }: { readonly pid: number; readonly seen_at: number }): boolean =>
  // An earlier process may have had this process's ID. Its report is older than this process.
  pid === process.pid ? seen_at < performance.timeOrigin : !canBeRunning(pid);
