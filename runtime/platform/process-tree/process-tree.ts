import { becomesTrue } from '../wait-for.ts';
import type { ChildCgroup } from '../cgroups/child-cgroup.ts';
import { MAX_CLEANUP_MS, releaseGroup, signalGroup } from '../process-group.ts';
import { descendantsOf } from './descendants.ts';
import { type MarkedProcess, identify, stillRuns, signalProcess, type ProcessIdentity } from './processes.ts';

/** A child process and all processes that it has started, even processes that have left its process group. */
export interface ProcessTree {
  /** Terminates the remaining processes: SIGTERM, then SIGKILL after `patienceMs`. */
  readonly end: (patienceMs: number) => Promise<void>;
  /** Number of processes that were killed because the tree ran out of memory; known after `end`. */
  readonly memoryKills: () => number;
}

export interface ProcessTreeOptions {
  /** Finds the processes that carry this tree's mark. */
  readonly findMarked: () => Promise<readonly MarkedProcess[]>;
  readonly group: ChildCgroup | undefined;
}

/** A process can start another one while it is being killed. */
const MAX_ROUNDS = 5;

export function createProcessTree(head: number, { findMarked, group }: ProcessTreeOptions): ProcessTree {
  const adopted = group && adopt(head, group);
  let memoryKills = 0;

  /**
   * The running processes outside the child's process group. `known` adds processes whose
   * environment may lack the mark.
   */
  const findStrays = async (known: readonly ProcessIdentity[]): Promise<readonly ProcessIdentity[]> => {
    const grouped = (group?.pids() ?? []).map((pid) => identify(pid)).filter((found) => found !== undefined);
    const found = [...known, ...grouped, ...(await findMarked())].filter((process) => process.group !== head);
    return [...new Map(found.map((process) => [process.pid, process])).values()].filter((process) =>
      stillRuns(process),
    );
  };

  return {
    memoryKills: () => memoryKills,
    async end(patienceMs) {
      const deadline = performance.now() + patienceMs;
      await adopted;
      const known = descendantsOf(head);
      signalGroup(head, 'SIGTERM');
      const strays = await findStrays(known);
      for (const process of strays) signalProcess(process, 'SIGTERM');
      const isGone = (): boolean => !signalGroup(head, 0) && !strays.some((process) => stillRuns(process));
      if (!(await becomesTrue(deadline - performance.now(), isGone))) signalGroup(head, 'SIGKILL');
      group?.kill();
      for (let round = 0; round < MAX_ROUNDS; round += 1) {
        const left = await findStrays(known);
        if (left.length === 0) break;
        for (const process of left) signalProcess(process, 'SIGKILL');
      }
      await becomesTrue(MAX_CLEANUP_MS, isGone);
      releaseGroup(head);
      memoryKills = group?.memoryKills() ?? 0;
      await group?.remove();
    },
  };
}

/**
 * Moves a newly started child to its cgroup, together with everything it has started so far. Later
 * processes are in it from the start.
 */
async function adopt(head: number, group: ChildCgroup): Promise<void> {
  try {
    await group.add(head);
    await Promise.all(descendantsOf(head).map(({ pid }) => group.add(pid)));
  } catch {
    // The process has exited.
  }
}
