import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '#contract/errors.ts';
import { descendantsOf } from '../process-tree/descendants.ts';
import { pidsIn, removeGroup } from './child-cgroup.ts';
import type { Controller } from './cgroup-paths.ts';

/** The cgroup of this process in version 2, and the one that it creates in it for its children. */
export interface OwnCgroup {
  /** The folder for the groups of children; undefined if this process cannot create groups. */
  readonly folder: string | undefined;
  /** Why this process cannot create groups, as a clause. */
  readonly problem: string;
  readonly has: (controller: Controller) => boolean;
  /** Lets the groups of children have limits of a controller. Throws an error with the reason if they cannot. */
  readonly enable: (controller: Controller) => void;
  readonly close: () => void;
}

/** The group of this process after it has left its own, which has limits for children only without processes in itself. */
const LEFT_GROUP = 'manager';

export function openOwnCgroup(own: string | undefined, name: string): OwnCgroup {
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
      // In the reverse order, so that a program that is started later in the same group finds it as this one did.
      for (const controller of enabled) {
        tryWrite(control(folder), `-${controller}`);
        tryWrite(control(own), `-${controller}`);
      }
      for (const pid of pidsIn(leftGroup)) tryWrite(join(own, 'cgroup.procs'), String(pid));
      removeGroup(leftGroup);
      removeGroup(folder);
    },
  };
}

const NOT_MOUNTED = { folder: undefined, problem: 'cgroups of version 2 are not mounted' };

const control = (folder: string): string => join(folder, 'cgroup.subtree_control');

/** Moves this process and its children to another group. Only the root of a hierarchy can have both processes and limits. */
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
