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
