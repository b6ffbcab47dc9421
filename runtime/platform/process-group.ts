import type { Writable } from 'node:stream';
import { becomesTrue, settlesWithin } from './wait-for.ts';

/** A child that leads its own process group. */
export interface GroupHead {
  readonly streams: { readonly stdin: Writable };
  readonly pid: number;
  readonly exited: Promise<unknown>;
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
  if (await becomesTrue(patienceMs, () => !signalGroup(pid, 0))) return;
  signalGroup(pid, 'SIGKILL');
  await becomesTrue(MAX_CLEANUP_MS, () => !signalGroup(pid, 0));
}

/**
 * Sends a signal to a group. Returns whether the group had any processes. A group's ID cannot be
 * reused while the group has processes.
 */
export function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    return false;
  }
}
