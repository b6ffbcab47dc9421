import { mkdirSync, writeFileSync, readdirSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '#contract/errors.ts';
import type { CgroupPaths, Controller } from './cgroup-paths.ts';
import { type ChildCgroup, openChildCgroup, removeCgroup, pidsIn } from './child-cgroup.ts';
import { type ProcessLimits, LIMIT_NAMES } from '#core/limits/process-limits.ts';
import { descendantsOf } from '../process-tree/descendants.ts';

/** Creates one cgroup per child process, below this process's own cgroup. */
export interface Cgroups {
  /** The folder of the version 2 groups; undefined if this process cannot create them. */
  readonly folder: string | undefined;
  /** Why this process cannot create them, as a clause; empty if it can. */
  readonly problem: string;
  readonly create: (name: string, limits: ProcessLimits) => CreatedCgroup;
  /** Terminates processes that killed programs have left in their groups. Returns the number of processes. */
  readonly endAbandoned: (isAbandoned: (id: string) => boolean) => Promise<number>;
  readonly close: () => void;
}

interface CreatedCgroup {
  readonly group: ChildCgroup | undefined;
  /** The limits that this system cannot apply, with the reasons as clauses. */
  readonly refused: readonly RefusedLimit[];
}

export interface RefusedLimit {
  readonly limit: keyof ProcessLimits;
  readonly why: string;
}

const PREFIX = 'mcp-manager.';

/** `id` identifies this process. It becomes part of a folder name. */
export function openCgroups(id: string, paths: CgroupPaths): Cgroups {
  const name = `${PREFIX}${id}`;
  const own = openOwnCgroup(paths.unified, name);
  const legacyParents = Object.values(paths.legacy);

  /** Some systems have controllers in version 1 hierarchies only. */
  const folderFor = (
    controller: Controller,
  ): { readonly version: 'unified' | 'legacy'; readonly top: string } => {
    const legacy = own.has(controller) ? undefined : paths.legacy[controller];
    if (legacy !== undefined) return { version: 'legacy', top: join(legacy, name) };
    own.enable(controller);
    return { version: 'unified', top: own.folder ?? '' };
  };

  const apply = (settings: LimitSettings, group: string): string => {
    const { version, top } = folderFor(settings.controller);
    const folder = join(top, group);
    mkdirSync(folder, { recursive: true });
    for (const { file, value, optional } of settings[version]) {
      try {
        // The kernel creates these files. A missing file means that there is no such limit.
        writeFileSync(join(folder, file), value, { flag: 'r+' });
      } catch (error) {
        if (optional !== true) throw error;
      }
    }
    return folder;
  };

  return {
    folder: own.folder,
    problem: own.problem,
    create(group, limits) {
      const refused: RefusedLimit[] = [];
      const folders = new Set(own.folder === undefined ? [] : [join(own.folder, group)]);
      for (const settings of limitSettings(limits)) {
        try {
          folders.add(apply(settings, group));
        } catch (error) {
          refused.push({ limit: settings.name, why: messageOf(error) });
        }
      }
      return { group: folders.size === 0 ? undefined : openChildCgroup([...folders]), refused };
    },
    endAbandoned: (isAbandoned) =>
      endAbandonedCgroups(
        [paths.unified, ...legacyParents].filter((parent) => parent !== undefined),
        (found) => found.startsWith(PREFIX) && isAbandoned(found.slice(PREFIX.length)),
      ),
    close() {
      own.close();
      for (const parent of legacyParents) removeCgroup(join(parent, name));
    },
  };
}

/**
 * Terminates the processes in groups that killed programs have left behind, and removes the groups.
 * Returns the number of processes.
 */
async function endAbandonedCgroups(
  parents: readonly string[],
  isAbandoned: (name: string) => boolean,
): Promise<number> {
  const tops = parents.flatMap((parent) =>
    groupsIn(parent)
      .filter(isAbandoned)
      .map((name) => join(parent, name)),
  );
  const counts = await Promise.all(tops.map((top) => endGroups(top)));
  return counts.reduce((sum, count) => sum + count, 0);
}

async function endGroups(top: string): Promise<number> {
  const groups = groupsIn(top).map((name) => openChildCgroup([join(top, name)]));
  const count = groups.reduce((sum, group) => sum + group.pids().length, 0);
  for (const group of groups) group.kill();
  await Promise.all(groups.map((group) => group.remove()));
  removeCgroup(top);
  return count;
}

function groupsIn(folder: string): string[] {
  try {
    const entries = readdirSync(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isDirectory()).map(({ name }) => name);
  } catch {
    return [];
  }
}

interface Setting {
  readonly file: string;
  readonly value: string;
  /** Whether some kernels lack the file, although the limit works without it. */
  readonly optional?: true;
}

const PERIOD_US = 100_000;
/** The kernel rejects a smaller share of a period. */
const MIN_QUOTA_US = 1000;

const quota = (cpus: number): number => Math.max(MIN_QUOTA_US, Math.round(cpus * PERIOD_US));

/** Which cgroup files set a limit, in both cgroup versions. Swap does not extend a server's memory. */
const SETTINGS: Readonly<
  Record<
    keyof ProcessLimits,
    { controller: Controller; unified: (n: number) => Setting[]; legacy: (n: number) => Setting[] }
  >
> = {
  memory: {
    controller: 'memory',
    unified: (bytes) => [
      { file: 'memory.max', value: String(bytes) },
      { file: 'memory.swap.max', value: '0', optional: true },
      { file: 'memory.oom.group', value: '1', optional: true },
    ],
    legacy: (bytes) => [
      { file: 'memory.limit_in_bytes', value: String(bytes) },
      { file: 'memory.memsw.limit_in_bytes', value: String(bytes), optional: true },
    ],
  },
  cpus: {
    controller: 'cpu',
    unified: (cpus) => [{ file: 'cpu.max', value: `${quota(cpus)} ${PERIOD_US}` }],
    legacy: (cpus) => [
      { file: 'cpu.cfs_period_us', value: String(PERIOD_US) },
      { file: 'cpu.cfs_quota_us', value: String(quota(cpus)) },
    ],
  },
  processes: {
    controller: 'pids',
    unified: (count) => [{ file: 'pids.max', value: String(count) }],
    legacy: (count) => [{ file: 'pids.max', value: String(count) }],
  },
};

interface LimitSettings {
  readonly name: keyof ProcessLimits;
  readonly controller: Controller;
  readonly unified: readonly Setting[];
  readonly legacy: readonly Setting[];
}

/** Returns the cgroup settings for the limits that are set. Pure. */
function limitSettings(limits: ProcessLimits): LimitSettings[] {
  return LIMIT_NAMES.flatMap((name) => {
    const value = limits[name];
    if (value === undefined) return [];
    const { controller, unified, legacy } = SETTINGS[name];
    return [{ name, controller, unified: unified(value), legacy: legacy(value) }];
  });
}

/** This process's version 2 cgroup, and the cgroup that it creates inside it for its children. */
interface OwnCgroup {
  /** The folder for the groups of children; undefined if this process cannot create groups. */
  readonly folder: string | undefined;
  /** Why this process cannot create groups, as a clause. */
  readonly problem: string;
  readonly has: (controller: Controller) => boolean;
  /**
   * Enables a controller for the children's groups. Throws an error with the reason if that is not
   * possible.
   */
  readonly enable: (controller: Controller) => void;
  readonly close: () => void;
}

/**
 * The group that this process moves to, because a group can only limit its children if it contains
 * no processes itself.
 */
const LEFT_GROUP = 'manager';

function openOwnCgroup(own: string | undefined, name: string): OwnCgroup {
  const { folder, problem } = own === undefined ? NOT_MOUNTED : tryMake(join(own, name));
  const controllers = own === undefined ? [] : words(join(own, 'cgroup.controllers'));
  const leftGroup = join(folder ?? '', LEFT_GROUP);
  const enabled = new Set<Controller>();

  return {
    folder,
    problem,
    has: (controller) => controllers.includes(controller),
    enable(controller) {
      if (own === undefined || folder === undefined) throw new Error(problem);
      if (!controllers.includes(controller))
        throw new Error(`its cgroup has no controller \`${controller}\``);
      if (!words(control(own)).includes(controller)) {
        leave(own, leftGroup);
        writeFileSync(control(own), `+${controller}`);
        enabled.add(controller);
      }
      writeFileSync(control(folder), `+${controller}`);
    },
    close() {
      if (own === undefined || folder === undefined) return;
      // In reverse order, so that a program that starts later in the same group finds it as this
      // one did.
      for (const controller of enabled) {
        tryWrite(control(folder), `-${controller}`);
        tryWrite(control(own), `-${controller}`);
      }
      for (const pid of pidsIn(leftGroup)) tryWrite(join(own, 'cgroup.procs'), String(pid));
      removeCgroup(leftGroup);
      removeCgroup(folder);
    },
  };
}

const NOT_MOUNTED = { folder: undefined, problem: 'cgroups of version 2 are not mounted' };

const control = (folder: string): string => join(folder, 'cgroup.subtree_control');

/**
 * Moves this process and its children to another group. Only the root of a hierarchy can have both
 * processes and limits.
 */
function leave(own: string, target: string): void {
  if (!existsSync(join(own, 'cgroup.type'))) return;
  const pids = pidsIn(own);
  const ours = new Set([process.pid, ...descendantsOf(process.pid).map(({ pid }) => pid)]);
  if (!pids.every((pid) => ours.has(pid))) throw new Error('other programs are in its cgroup');
  mkdirSync(target, { recursive: true });
  for (const pid of pids) writeFileSync(join(target, 'cgroup.procs'), String(pid));
}

function tryMake(folder: string): Pick<OwnCgroup, 'folder' | 'problem'> {
  try {
    mkdirSync(folder, { recursive: true });
    return { folder, problem: '' };
  } catch (error) {
    return { folder: undefined, problem: `it cannot create cgroups: ${messageOf(error)}` };
  }
}

function tryWrite(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch {
    // The group remains. It is removed with the one in which the program was started.
  }
}

function words(file: string): string[] {
  try {
    return readFileSync(file, 'utf8').trim().split(/\s+/);
  } catch {
    return [];
  }
}
