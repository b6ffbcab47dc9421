import type { Writable } from 'node:stream';
import { createJob, type Job } from './process-tree/job-objects.ts';
import { becomesTrue, settlesWithin } from './wait-for.ts';

/** A child that leads its own process group. */
export interface GroupHead {
  readonly streams: { readonly stdin: Writable };
  readonly pid: number;
  readonly exited: Promise<unknown>;
}

/** Options of `spawn` for a child that leads its own process group. Pass its ID to `leadGroup` immediately after. */
export const GROUP_LEADER = { detached: process.platform !== 'win32', windowsHide: true } as const;

/** The groups of Windows by the ID of their first process. */
const jobs = new Map<number, Job>();

/**
 * Completes the group of a child that was started with `GROUP_LEADER`, in the same turn of the event loop. Windows has no
 * process groups, so the child and its descendants become a job, which also ends if this process is terminated.
 */
export function leadGroup(pid: number): void {
  if (process.platform !== 'win32') return;
  releaseGroup(pid);
  const job = createJob(pid);
  if (job) jobs.set(pid, job);
}

/** Forgets a group that has ended. On Windows, the remaining processes of its job end. */
export function releaseGroup(pid: number): void {
  jobs.get(pid)?.close();
  jobs.delete(pid);
}

// Shares of the shutdown time. The remainder is for the system to clean up after SIGKILL.
const POLITE_SHARE = 0.4;
const TERMINATE_SHARE = 0.5;
/** Killed processes exit immediately unless no parent reaps them, which is not worth waiting for. */
export const MAX_CLEANUP_MS = 200;

/** Closes stdin and waits, sends SIGTERM to the whole group and waits, then sends SIGKILL, all within `shutdownMs`. */
export async function endChild(
  { streams, pid, exited }: GroupHead,
  shutdownMs: number,
  endRest = (patienceMs: number): Promise<void> => endGroup(pid, patienceMs),
): Promise<void> {
  streams.stdin.end();
  await settlesWithin(shutdownMs * POLITE_SHARE, exited);
  await endRest(shutdownMs * TERMINATE_SHARE);
  await exited;
}

/**
 * Terminates the remaining processes of a group, even if its leader has exited: SIGTERM, then
 * SIGKILL after `patienceMs`.
 */
export async function endGroup(pid: number, patienceMs: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  if (!(await becomesTrue(patienceMs, () => !signalGroup(pid, 0)))) {
    signalGroup(pid, 'SIGKILL');
    await becomesTrue(MAX_CLEANUP_MS, () => !signalGroup(pid, 0));
  }
  releaseGroup(pid);
}

/**
 * Sends a signal to a group. Returns whether the group had any processes. A group's ID cannot be
 * reused while the group has processes. On Windows, every signal terminates the processes.
 */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  if (process.platform === 'win32') return signalJob(jobs.get(pid), signal);
  try {
    return process.kill(-pid, signal);
  } catch {
    return false;
  }
}

/** A process that could not be moved to a job has already ended. */
function signalJob(job: Job | undefined, signal: NodeJS.Signals | 0): boolean {
  const isRunning = job?.isRunning() ?? false;
  if (isRunning && signal !== 0) job?.end();
  return isRunning;
}
