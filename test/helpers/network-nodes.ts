import { existsSync, mkdirSync, mkdtempSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import type { RayPlace } from './ray.ts';

/** Network namespaces that are connected with this machine and with each other by a bridge. */
export interface NetworkNodes {
  /** This machine's address on the bridge. */
  readonly hostIp: string;
  readonly places: readonly NetworkNode[];
  close(): void;
}

export interface NodeOptions {
  /** Folders that are empty for the nodes. */
  readonly hidden?: readonly string[];
}

export interface NetworkNode extends RayPlace {
  /** A folder that only this node uses, for executables. */
  readonly cache: string;
  /** The IDs of all processes in the namespace, with their command lines. */
  readonly processes: () => readonly { readonly pid: number; readonly command: string }[];
  /** Limits all processes of the node together to this share of a CPU: 0.5 is half of its time. */
  readonly limitProcessors: (share: number) => void;
  /** Kills all processes of the node. */
  readonly kill: () => void;
}

/** Addresses in 198.18.0.0/15, which are reserved for network tests (RFC 2544). */
const NET = '198.18.7';

const ip = (...flags: string[]): string => execaSync('ip', flags).stdout;

/** Creates the namespaces, or prints a warning and returns undefined if that is not allowed. */
export function createNetworkNodes(count: number, options: NodeOptions = {}): NetworkNodes | undefined {
  const prefix = `efr${process.pid % 100_000}`;
  const bridge = `${prefix}b`;
  const names = Array.from({ length: count }, (_, at) => `${prefix}n${at}`);
  const caches = names.map(() => mkdtempSync(join(tmpdir(), 'encoderfile-test-')));
  const close = (): void => {
    for (const name of names) if (existsSync(groupOf(name))) rmdirSync(groupOf(name));
    for (const cache of caches) rmSync(cache, { recursive: true, force: true });
    for (const name of names) {
      execaSync('ip', ['netns', 'del', name], { reject: false });
      execaSync('ip', ['link', 'del', `${name}h`], { reject: false });
    }
    execaSync('ip', ['link', 'del', bridge], { reject: false });
  };
  try {
    ip('link', 'add', bridge, 'type', 'bridge');
    ip('addr', 'add', `${NET}.1/24`, 'dev', bridge);
    ip('link', 'set', bridge, 'up');
    names.forEach((name, at) => {
      ip('netns', 'add', name);
      ip('link', 'add', `${name}h`, 'type', 'veth', 'peer', 'name', 'eth0', 'netns', name);
      ip('link', 'set', `${name}h`, 'master', bridge, 'up');
      ip('-n', name, 'addr', 'add', `${NET}.${at + 2}/24`, 'dev', 'eth0');
      ip('-n', name, 'link', 'set', 'eth0', 'up');
      ip('-n', name, 'link', 'set', 'lo', 'up');
    });
  } catch (error) {
    close();
    const [reason] = (error as Error).message.split('\n');
    console.warn(`SKIPPED: nothing was tried on nodes with networks of their own (${reason}).`);
    return undefined;
  }
  const places = names.map((name, at) => {
    const cache = caches[at] ?? '';
    return nodeIn(name, `${NET}.${at + 2}`, { cache, hidden: options.hidden ?? [] });
  });
  return { hostIp: `${NET}.1`, places, close };
}

/** The CPU limit of the kernel, for cgroups v1 or v2. */
const VERSION_1 = '/sys/fs/cgroup/cpu';
const VERSION_2 = '/sys/fs/cgroup';
const isVersion1 = existsSync(VERSION_1);
const PERIOD_US = 100_000;

const groupOf = (name: string): string => join(isVersion1 ? VERSION_1 : VERSION_2, name);

/** Creates a cgroup that limits its processes together to this share of a CPU, and returns its folder. */
function createProcessorGroup(name: string, share: number): string {
  const folder = groupOf(name);
  const quota = Math.round(share * PERIOD_US);
  mkdirSync(folder);
  if (isVersion1) {
    writeFileSync(join(folder, 'cpu.cfs_period_us'), `${PERIOD_US}`);
    writeFileSync(join(folder, 'cpu.cfs_quota_us'), `${quota}`);
  } else {
    writeFileSync(join(folder, 'cpu.max'), `${quota} ${PERIOD_US}`);
  }
  return folder;
}

/** Whether this user can limit the CPU time of nodes. */
export function canLimitProcessors(): boolean {
  try {
    rmdirSync(createProcessorGroup(`efr${process.pid % 100_000}try`, 1));
    return true;
  } catch (error) {
    console.warn(`SKIPPED: the processors of nodes cannot be limited (${(error as Error).message}).`);
    return false;
  }
}

interface NodeParts {
  readonly cache: string;
  readonly hidden: readonly string[];
}

/** Hides the folders before the argument `--`, and runs the remaining arguments. */
const HIDE = 'while [ "$1" != -- ]; do mount -t tmpfs tmpfs "$1"; shift; done; shift; exec "$@"';

function nodeIn(name: string, address: string, { cache, hidden }: NodeParts): NetworkNode {
  const pids = (): string[] => ip('netns', 'pids', name).split('\n').filter(Boolean);
  return {
    ip: address,
    cache,
    // Also a mount namespace, so that a node's mounts are not visible to others.
    prefix: [
      ...`ip netns exec ${name} unshare --mount --`.split(' '),
      ...`env ENCODERFILE_CACHE_DIR=${cache} sh -c`.split(' '),
      HIDE,
      'sh',
      ...hidden,
      '--',
    ],
    processes: () =>
      pids().map((pid) => ({
        pid: Number(pid),
        command: execaSync('ps', ['-o', 'args=', '-p', pid], { reject: false }).stdout,
      })),
    limitProcessors(share) {
      const group = createProcessorGroup(name, share);
      for (const pid of pids()) writeFileSync(join(group, 'cgroup.procs'), pid);
    },
    kill() {
      for (let left = pids(); left.length > 0; left = pids()) {
        execaSync('kill', ['-KILL', ...left], { reject: false });
      }
    },
  };
}
