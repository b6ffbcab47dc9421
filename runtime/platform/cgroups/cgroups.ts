import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '#contract/errors.ts';
import { endAbandonedCgroups } from './abandoned-cgroups.ts';
import type { CgroupPaths, Controller } from './cgroup-paths.ts';
import { type ChildCgroup, openChildCgroup, removeGroup } from './child-cgroup.ts';
import { openOwnCgroup } from './own-cgroup.ts';
import { limitSettings, type LimitSettings } from './limit-settings.ts';
import type { ProcessLimits } from '#core/limits/process-limits.ts';

/** Creates a cgroup per child process, below the cgroup of this process. */
export interface Cgroups {
  /** The folder of the groups of version 2; undefined if this process cannot create them. */
  readonly folder: string | undefined;
  /** Why this process cannot create them, as a clause; empty if it can. */
  readonly problem: string;
  readonly create: (name: string, limits: ProcessLimits) => CreatedCgroup;
  /** Ends what programs left in their groups when they were killed; returns the number of processes. */
  readonly endAbandoned: (isAbandoned: (id: string) => boolean) => Promise<number>;
  readonly close: () => void;
}

interface CreatedCgroup {
  readonly group: ChildCgroup | undefined;
  /** The limits that this system does not apply, with the reasons as clauses. */
  readonly refused: readonly RefusedLimit[];
}

export interface RefusedLimit {
  readonly limit: keyof ProcessLimits;
  readonly why: string;
}

const PREFIX = 'mcp-manager.';

/** `id` identifies this process. It becomes part of the name of a folder. */
export function openCgroups(id: string, paths: CgroupPaths): Cgroups {
  const name = `${PREFIX}${id}`;
  const own = openOwnCgroup(paths.unified, name);
  const legacyParents = Object.values(paths.legacy);

  /** Some systems have controllers in hierarchies of version 1 only. */
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
        // The kernel creates these files. Where one is missing, there is no such limit.
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
      for (const parent of legacyParents) removeGroup(join(parent, name));
    },
  };
}
