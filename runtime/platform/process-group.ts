import { setTimeout as sleep } from 'node:timers/promises';
import type { Writable } from 'node:stream';
import { settlesWithin } from './settles-within.ts';

/** A child at the head of a process group of its own. */
export interface GroupHead {
  readonly streams: { readonly stdin: Writable };
  readonly pid: number;
  readonly exited: Promise<unknown>;
}

// Shares of the time a shutdown may take. The rest is for the system to clean up after SIGKILL.
const POLITE_SHARE = 0.4;
const TERMINATE_SHARE = 0.5;
const LOOK_AGAIN_MS = 10;
/** Killed processes go at once, unless nobody reaps them; that is not waited for. */
const LONGEST_CLEANUP_MS = 200;

/** Ends stdin and waits, then SIGTERM to the whole group and waits, then SIGKILL, all within `shutdownMs`. */
export async function endChild({ streams, pid, exited }: GroupHead, shutdownMs: number): Promise<void> {
  streams.stdin.end();
  await settlesWithin(shutdownMs * POLITE_SHARE, exited);
  await endGroup(pid, shutdownMs * TERMINATE_SHARE);
  await exited;
}

/** Ends whatever is left of the group, also when its head has exited: SIGTERM, then SIGKILL after `patienceMs`. */
export async function endGroup(pid: number, patienceMs: number): Promise<void> {
  signalGroup(pid, 'SIGTERM');
  if (await groupGone(pid, patienceMs)) return;
  signalGroup(pid, 'SIGKILL');
  await groupGone(pid, LONGEST_CLEANUP_MS);
}

async function groupGone(pid: number, patienceMs: number): Promise<boolean> {
  const deadline = performance.now() + patienceMs;
  while (signalGroup(pid, 0)) {
    if (performance.now() >= deadline) return false;
    await sleep(LOOK_AGAIN_MS);
  }
  return true;
}

/** Whether there was anyone to signal. The id cannot belong to strangers as long as a member of the group is left. */
function signalGroup(pid: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch {
    return false;
  }
}
