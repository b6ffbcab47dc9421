import { becomesTrue } from '../wait-for.ts';
import { readCgroupPaths } from '../cgroups/cgroup-paths.ts';
import { openCgroups, type RefusedLimit } from '../cgroups/cgroups.ts';
import { LIMIT_NAMES, type ProcessLimits } from '#core/limits/process-limits.ts';
import {
  MARK_VARIABLE,
  type MarkedProcess,
  stillRuns,
  signalProcess,
  identify,
  findMarkedByProc,
  findMarkedByPs,
} from './processes.ts';
import { createProcessTree, type ProcessTree } from './process-tree.ts';
import { setImmediate } from 'node:timers/promises';
import { createHash } from 'node:crypto';
import { readlinkSync } from 'node:fs';

/**
 * Tracks all processes that this program's child processes start, so that they are terminated
 * together with the child.
 */
export interface ProcessTrees {
  /** Prepares the start of a child. */
  readonly prepare: (limits?: ProcessLimits) => PreparedTree;
  /**
   * Terminates processes that a killed program with the same owner has left behind. Returns the
   * number of processes.
   */
  readonly endAbandoned: () => Promise<number>;
  readonly traces: ProcessTraces;
  /** The reason why children have no cgroups of their own, as a clause; empty if they have cgroups. */
  readonly problem: string;
  readonly close: () => void;
}

/** The information that a guard requires to terminate all children after this program has been killed. */
export interface ProcessTraces {
  /** The start of a variable in the environment of all children; empty if they have none. */
  readonly mark: string;
  /** The folder of their cgroups; empty if they have none. */
  readonly cgroups: string;
}

export interface PreparedTree {
  /** Variables for the child. */
  readonly env: Readonly<Record<string, string>>;
  readonly refused: readonly RefusedLimit[];
  /** Adds the child, which has just been started, to the tree. */
  readonly adopt: (pid: number) => ProcessTree;
  /** Cancels the preparation for a child that did not start. */
  readonly cancel: () => void;
}

/** Time between SIGTERM and SIGKILL for processes that a killed program left. */
const ABANDONED_MS = 500;

/** `owner` distinguishes this program from others of the same user, e.g. by the path of its configuration. */
export function createProcessTrees(owner: string, paths = readCgroupPaths()): ProcessTrees {
  const marks = createProcessMarks(owner);
  if (!marks) return GROUPS_ONLY;
  const search = createMarkedSearch();
  const cgroups = openCgroups(marks.prefix, paths);
  const findAbandoned = async (): Promise<readonly MarkedProcess[]> =>
    (await search()).filter(({ mark }) => marks.isAbandoned(mark));
  let children = 0;
  return {
    problem: cgroups.problem,
    traces: { mark: `${MARK_VARIABLE}=${marks.prefix}/`, cgroups: cgroups.folder ?? '' },
    prepare(limits = {}) {
      children += 1;
      const mark = `${marks.prefix}/${children}`;
      const { group, refused } = cgroups.create(String(children), limits);
      const findMarked = async (): Promise<readonly MarkedProcess[]> =>
        (await search()).filter((process) => process.mark === mark);
      return {
        env: { [MARK_VARIABLE]: mark },
        refused,
        adopt: (pid) => createProcessTree(pid, { findMarked, group }),
        cancel: () => void group?.remove(),
      };
    },
    async endAbandoned() {
      const left = await findAbandoned();
      for (const process of left) signalProcess(process, 'SIGTERM');
      const isGone = (): boolean => !left.some((process) => stillRuns(process));
      if (!(await becomesTrue(ABANDONED_MS, isGone))) {
        for (const process of await findAbandoned()) signalProcess(process, 'SIGKILL');
      }
      return left.length + (await cgroups.endAbandoned(marks.isAbandoned));
    },
    close: cgroups.close,
  };
}

/** Where processes cannot be identified, as on Windows, a tree is the child's process group. On Windows, no process can leave it. */
export const GROUPS_ONLY: ProcessTrees = {
  problem: 'this system does not identify processes',
  traces: { mark: '', cgroups: '' },
  prepare: (limits = {}) => ({
    env: {},
    refused: LIMIT_NAMES.filter((limit) => limits[limit] !== undefined).map((limit) => ({
      limit,
      why: 'only Linux has cgroups',
    })),
    adopt: (pid) => createProcessTree(pid, { findMarked: () => Promise.resolve([]), group: undefined }),
    cancel: () => undefined,
  }),
  endAbandoned: () => Promise.resolve(0),
  close: () => undefined,
};

type MarkedSearch = () => Promise<readonly MarkedProcess[]>;

/**
 * Returns a function that searches all running processes for a mark. Searches in the same turn of
 * the event loop are combined, because all servers of a program end together.
 */
function createMarkedSearch(): MarkedSearch {
  let upcoming: ReturnType<MarkedSearch> | undefined;
  const search: MarkedSearch = async () => {
    await setImmediate();
    upcoming = undefined;
    const find = process.platform === 'linux' ? findMarkedByProc : findMarkedByPs;
    return await find().catch(() => []);
  };
  return () => (upcoming ??= search());
}

/**
 * Marks the children of this process. A mark is `<scope>.<pid>.<start time>/<number>`: pid and
 * start time identify the process that started the child, and the scope restricts a search to
 * programs with the same configuration in the same container.
 */
interface ProcessMarks {
  /** The part that all marks of this process's children share, without the slash. */
  readonly prefix: string;
  /** Whether the mark, or its first part, belongs to a program with the same scope that has ended. */
  readonly isAbandoned: (mark: string) => boolean;
}

/** Returns undefined on systems where processes cannot be identified. */
function createProcessMarks(owner: string): ProcessMarks | undefined {
  const self = identify(process.pid);
  if (!self) return undefined;
  const scope = createHash('sha256').update(`${processNamespace()}\0${owner}`).digest('hex').slice(0, 16);
  const pattern = new RegExp(String.raw`^${scope}\.(\d+)\.(\d+)(?:/|$)`);
  return {
    prefix: `${scope}.${self.pid}.${self.startedAt}`,
    isAbandoned(mark) {
      const [, pid, startedAt] = pattern.exec(mark) ?? [];
      if (pid === undefined || startedAt === undefined) return false;
      return !stillRuns({ pid: Number(pid), startedAt });
    },
  };
}

/** Process ids are only comparable within one namespace: programs in containers have their own. */
function processNamespace(): string {
  try {
    return readlinkSync('/proc/self/ns/pid');
  } catch {
    return '';
  }
}
