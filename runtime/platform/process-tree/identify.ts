import { identifyByProc } from './proc-processes.ts';
import type { ProcessIdentity } from './process-identity.ts';
import { identifyByPs } from './ps-processes.ts';

/** Returns a running process; undefined if it has ended, and on Windows. A zombie has ended. */
export function identify(pid: number): ProcessIdentity | undefined {
  if (process.platform === 'win32') return undefined;
  return process.platform === 'linux' ? identifyByProc(pid) : identifyByPs(pid);
}

export const stillRuns = ({ pid, startedAt }: Pick<ProcessIdentity, 'pid' | 'startedAt'>): boolean =>
  identify(pid)?.startedAt === startedAt;

/** Sends a signal, unless the process has ended. */
export function signalProcess(target: ProcessIdentity, signal: NodeJS.Signals): void {
  if (!stillRuns(target)) return;
  try {
    process.kill(target.pid, signal);
  } catch {
    // It has ended since, or belongs to another user.
  }
}
