import { readFileSync } from 'node:fs';
import { type CgroupPaths, parseCgroupPaths } from './cgroup-paths.ts';

/** Without /proc, as on macOS and Windows, there are no cgroups. */
export function readCgroupPaths(): CgroupPaths {
  try {
    const [cgroup, mounts] = ['cgroup', 'mountinfo'].map((file) =>
      readFileSync(`/proc/self/${file}`, 'utf8'),
    );
    return parseCgroupPaths(cgroup ?? '', mounts ?? '');
  } catch {
    return { unified: undefined, legacy: {} };
  }
}
