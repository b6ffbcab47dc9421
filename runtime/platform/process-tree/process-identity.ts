import { identifyByProc } from './proc-processes.ts';
import { identifyByPs } from './ps-processes.ts';

/** A process, identified by its start time as well: the system uses the number of an ended process again. */
export interface ProcessIdentity {
  readonly pid: number;
  /** The ID of its process group. */
  readonly group: number;
  /** On Linux the clock ticks since the start of the system, elsewhere seconds since 1970. */
  readonly startedAt: string;
}

/** Returns a running process; undefined if it has ended, and on Windows. A zombie has ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? identifyByProc(pid) : identifyByPs(pid);
}

export const isRunning = ({ pid, startedAt }: Pick<ProcessIdentity, 'pid' | 'startedAt'>): boolean =>
  identify(pid)?.startedAt === startedAt;

/** Sends a signal, unless the process has ended. */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!isRunning(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch {
    // It has ended since, or belongs to another user.
  }
}
