import { existsSync, mkdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { becomesTrue } from '../wait-for.ts';
import { greatest } from '#core/numbers/extremes.ts';

/**
 * The cgroup of one child process. All processes that the child starts are in the same cgroup, and
 * cannot leave it.
 */
export interface ChildCgroup {
  /** The kernel takes 10 to 20 ms for this, without blocking this process. */
  readonly add: (pid: number) => Promise<void>;
  readonly pids: () => number[];
  /** Sends SIGKILL to all processes. */
  readonly kill: () => void;
  /** Number of processes that were killed because the group ran out of memory. */
  readonly memoryKills: () => number;
  /** Removes the group as soon as its processes have exited. */
  readonly remove: () => Promise<void>;
}

/** The folders of a group: one in the version 2 hierarchy, and one per limit in version 1 hierarchies. */
export function openChildCgroup(folders: readonly string[]): ChildCgroup {
  for (const folder of folders) mkdirSync(folder, { recursive: true });
  const pids = (): number[] => [...new Set(folders.flatMap((folder) => pidsIn(folder)))];
  return {
    async add(pid) {
      await Promise.all(folders.map((folder) => writeFile(join(folder, 'cgroup.procs'), String(pid))));
    },
    pids,
    kill() {
      const file = folders.map((folder) => join(folder, 'cgroup.kill')).find((path) => existsSync(path));
      if (file === undefined) killEach(pids);
      else writeFileSync(file, '1');
    },
    memoryKills: () => Math.max(0, greatest(folders.map((folder) => memoryKillsIn(folder)))),
    async remove() {
      await becomesTrue(REMOVE_MS, () => folders.every((folder) => removeCgroup(folder)));
    },
  };
}

const REMOVE_MS = 500;
/** A process can start another one between two checks. */
const MAX_ROUNDS = 10;

function killEach(pids: () => number[]): void {
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
    const left = pids();
    if (left.length === 0) return;
    for (const pid of left) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // The process has exited in the meantime.
      }
    }
  }
}

export const pidsIn = (folder: string): number[] =>
  readText(join(folder, 'cgroup.procs')).split('\n').filter(Boolean).map(Number);

/** Version 2 counts in `memory.events`, version 1 in `memory.oom_control`. */
function memoryKillsIn(folder: string): number {
  const counts = readText(join(folder, 'memory.events')) || readText(join(folder, 'memory.oom_control'));
  return Number(/^oom_kill (\d+)$/m.exec(counts)?.[1] ?? 0);
}

/** Returns whether the group no longer exists. A group with processes cannot be removed. */
export function removeCgroup(folder: string): boolean {
  try {
    rmdirSync(folder);
    return true;
  } catch {
    return !existsSync(folder);
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
}
