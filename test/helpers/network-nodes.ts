import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execaSync } from 'execa';
import type { RayPlace } from './ray.ts';

/** Network namespaces that a bridge connects with this machine and with each other. */
export interface NetworkNodes {
  /** The address of this machine on the bridge. */
  readonly hostIp: string;
  readonly places: readonly NetworkNode[];
  close(): void;
}

export interface NodeOptions {
  /** Folders that the nodes see empty. */
  readonly hidden?: readonly string[];
  /** Binds each node to a processor of its own, the first one excepted. */
  readonly hasOwnProcessors?: boolean;
}

export interface NetworkNode extends RayPlace {
  /** A folder that only this node uses, for executables. */
  readonly cache: string;
  /** The ids of all processes in the namespace, with their command lines. */
  readonly processes: () => readonly { readonly pid: number; readonly command: string }[];
  /** Kills every process of the node. */
  readonly kill: () => void;
}

/** Addresses of 198.18.0.0/15, which are for tests of networks (RFC 2544). */
const NET = '198.18.7';

const ip = (...flags: string[]): string => execaSync('ip', flags).stdout;

/** Creates the namespaces, or returns undefined, loudly, where that is not allowed. */
export function createNetworkNodes(count: number, options: NodeOptions = {}): NetworkNodes | undefined {
  const prefix = `efr${process.pid % 100_000}`;
  const bridge = `${prefix}b`;
  const names = Array.from({ length: count }, (_, at) => `${prefix}n${at}`);
  const caches = names.map(() => mkdtempSync(join(tmpdir(), 'encoderfile-test-')));
  const close = (): void => {
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
    const processors = options.hasOwnProcessors && at > 0 ? ['taskset', '-c', String(at - 1)] : [];
    const cache = caches[at] ?? '';
    return nodeIn(name, `${NET}.${at + 2}`, { cache, processors, hidden: options.hidden ?? [] });
  });
  return { hostIp: `${NET}.1`, places, close };
}

interface NodeParts {
  readonly cache: string;
  readonly processors: readonly string[];
  readonly hidden: readonly string[];
}

/** Hides the folders that come before the word `--`, and runs the rest. */
const HIDE = 'while [ "$1" != -- ]; do mount -t tmpfs tmpfs "$1"; shift; done; shift; exec "$@"';

function nodeIn(name: string, address: string, { cache, processors, hidden }: NodeParts): NetworkNode {
  const pids = (): string[] => ip('netns', 'pids', name).split('\n').filter(Boolean);
  return {
    ip: address,
    cache,
    // A mount namespace, too, so that what a node mounts is not seen by another one.
    prefix: [
      ...processors,
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
    kill() {
      for (let left = pids(); left.length > 0; left = pids()) {
        execaSync('kill', ['-KILL', ...left], { reject: false });
      }
    },
  };
}
