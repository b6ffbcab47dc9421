import { readFileSync, readlinkSync } from 'node:fs';
import { hostname } from 'node:os';

/**
 * Names the space in which process ids of this machine mean something: two containers may share a host name, and a restart may
 * give old ids to new processes.
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

/** Whether a process of this machine runs; another one may have its id by now, so that only a no is certain. */
export function mayRun(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as { code?: unknown }).code !== 'ESRCH';
  }
}

/** Whether a process of this machine, which said at that time that it lives, lives no more. */
export const isGone = ({ pid, seen_at }: { readonly pid: number; readonly seen_at: number }): boolean =>
  // One of before may have had this process's id; what it said is older than this process.
  pid === process.pid ? seen_at < performance.timeOrigin : !mayRun(pid);
