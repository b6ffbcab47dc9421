import { expect, test } from 'vitest';
import { parseCgroupPaths } from '#platform/cgroups/cgroup-paths.ts';

const mount = (root: string, point: string, source: string): string =>
  `35 28 0:30 ${root} ${point} rw,nosuid shared:9 - ${source}\n`;

test('with cgroup v2 only, the path of the process is below the mount', () => {
  const mounts = mount('/', '/sys/fs/cgroup', 'cgroup2 cgroup2 rw,nsdelegate');
  expect(parseCgroupPaths('0::/user.slice/a b.scope\n', mounts)).toEqual({
    unified: '/sys/fs/cgroup/user.slice/a b.scope',
    legacy: {},
  });
  expect(parseCgroupPaths('0::/\n', mounts).unified).toBe('/sys/fs/cgroup');
});

test('with both versions, limits are in the hierarchies of their controllers', () => {
  const mounts = [
    mount('/', '/sys/fs/cgroup/cpu,cpuacct', 'cgroup cgroup rw,cpu,cpuacct'),
    mount('/', String.raw`/sys/fs/my\040memory`, 'cgroup none rw,memory'),
    mount('/', '/sys/fs/cgroup/systemd', 'cgroup none rw,name=systemd'),
    mount('/', '/sys/fs/cgroup/unified', 'cgroup2 none rw'),
  ].join('');
  expect(parseCgroupPaths('4:memory:/m\n1:cpu,cpuacct:/\n9:name=systemd:/s\n0::/u\n', mounts)).toEqual({
    unified: '/sys/fs/cgroup/unified/u',
    legacy: { memory: '/sys/fs/my memory/m', cpu: '/sys/fs/cgroup/cpu,cpuacct' },
  });
});

test('a partial mount is used only for the cgroups inside it', () => {
  const mounts = mount('/docker/1', '/sys/fs/cgroup', 'cgroup2 cgroup2 rw');
  expect(parseCgroupPaths('0::/docker/1\n', mounts).unified).toBe('/sys/fs/cgroup');
  expect(parseCgroupPaths('0::/docker/1/a\n', mounts).unified).toBe('/sys/fs/cgroup/a');
  expect(parseCgroupPaths('0::/docker/12\n', mounts).unified).toBeUndefined();
  expect(parseCgroupPaths('0::/../other\n', mount('/', '/c', 'cgroup2 x rw')).unified).toBeUndefined();
});
