import { readFileSync } from 'node:fs';

/** The controllers that limit a group of processes. */
const CONTROLLERS = ['memory', 'cpu', 'pids'] as const;
export type Controller = (typeof CONTROLLERS)[number];

/** The folders of the cgroups of one process. */
export interface CgroupPaths {
  /** The folder in the version 2 hierarchy; undefined if it is not mounted. */
  readonly unified: string | undefined;
  /** The folders in version 1 hierarchies, which some systems still use for limits. */
  readonly legacy: Readonly<Partial<Record<Controller, string>>>;
}

/** Reads `/proc/self/cgroup` and `/proc/self/mountinfo`. Pure. @internal */
export function parseCgroupPaths(cgroup: string, mountinfo: string): CgroupPaths {
  const groups = new Map<string, string>();
  for (const line of lines(cgroup)) {
    const [, controllers = '', path = ''] = /^\d+:([^:]*):(.*)$/.exec(line) ?? [];
    for (const controller of controllers.split(',')) groups.set(controller, path);
  }
  let unified: string | undefined;
  const legacy: Partial<Record<Controller, string>> = {};
  for (const line of lines(mountinfo)) {
    const [mount = '', source = ''] = line.split(' - ');
    const [, , , root = '', point = ''] = mount.split(' ').map(unescape);
    const [type, , options = ''] = source.split(' ');
    if (type === 'cgroup2') unified ??= folderOf(groups.get(''), root, point);
    if (type !== 'cgroup') continue;
    for (const controller of CONTROLLERS.filter((name) => options.split(',').includes(name))) {
      const folder = folderOf(groups.get(controller), root, point);
      if (folder !== undefined) legacy[controller] ??= folder;
    }
  }
  return { unified, legacy };
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** In mountinfo, spaces in paths are octal numbers. */
const unescape = (path: string): string =>
  path.replaceAll(/\\([0-7]{3})/g, (_, octal: string) => String.fromCodePoint(Number.parseInt(octal, 8)));

/**
 * Returns a cgroup's folder in a mount of its hierarchy. A mount can contain only a part of the
 * hierarchy.
 */
function folderOf(path: string | undefined, root: string, point: string): string | undefined {
  if (path === undefined || path.startsWith('/..')) return undefined;
  if (root === '/') return `${point}${path === '/' ? '' : path}`;
  if (path === root) return point;
  return path.startsWith(`${root}/`) ? `${point}${path.slice(root.length)}` : undefined;
}

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
