import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { openChildCgroup, removeGroup } from './child-cgroup.ts';

/** Ends the processes in groups that programs left when they were killed, and removes the groups. Returns the number of processes. */
export async function endAbandonedCgroups(
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
  removeGroup(top);
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
