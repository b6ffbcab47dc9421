import { join } from 'node:path';
import { execa } from 'execa';
import { portIn, startExecutable } from '../helpers/start-executable.ts';

/** A Podman that can run containers on this system. */
export interface Podman {
  readonly global: readonly string[];
  /** Options for `podman run` that this system needs. */
  readonly options: readonly string[];
  readonly load: (archive: string) => Promise<void>;
  readonly removeAll: () => Promise<void>;
}

/** Like hardened Kubernetes pods: the root is read-only, and only /tmp is writable. */
const HARDENED = ['--rm', '--network', 'host', '--read-only', '--tmpfs', '/tmp'];
/** Inside another container, some limits, filters and cgroups are not allowed. */
const NESTED = [
  '--security-opt',
  'seccomp=unconfined',
  '--ulimit',
  'nofile=1000:1000',
  '--ulimit',
  'nproc=1000:1000',
];
const WAYS: readonly { readonly global: readonly string[]; readonly options: readonly string[] }[] = [
  { global: [], options: [] },
  { global: [], options: [...NESTED, '--cgroups=disabled'] },
  { global: ['--runtime', 'runc', '--cgroup-manager', 'cgroupfs'], options: NESTED },
];

/** Tries an image with more and more options; its storage is in `scratch`, so this system is not changed. */
export async function findPodman(
  scratch: string,
  archive: string,
): Promise<Podman | { readonly missing: string }> {
  const storage = ['--root', join(scratch, 'podman'), '--runroot', join(scratch, 'podman-run')];
  let missing = 'podman';
  for (const way of WAYS) {
    const global = [...storage, '--storage-driver', 'vfs', ...way.global];
    const options = [...HARDENED, ...way.options];
    const podman: Podman = {
      global,
      options,
      load: async (path) => void (await execa('podman', [...global, 'load', '-i', path])),
      removeAll: async () => void (await execa('podman', [...global, 'rmi', '--all', '--force'])),
    };
    const tried = await execa('podman', [...global, 'run', ...options, `oci-archive:${archive}`, 'version'], {
      reject: false,
    });
    if (tried.exitCode === 0) return podman;
    missing = `a way to run containers (${tried.stderr?.split('\n').at(-1) ?? 'podman is not installed'})`;
  }
  return { missing };
}

export async function runInPodman({ global, options }: Podman, ...args: string[]): Promise<string> {
  return (await execa('podman', [...global, 'run', ...options, ...args])).stdout;
}

/** Sends one request to a server in a container; returns the response, and the exit code after SIGTERM. */
export async function serveInPodman({ global, options }: Podman, image: string): Promise<string> {
  const serve = ['serve', '--http-hostname', '127.0.0.1', '--http-port', '0', '--disable-grpc'];
  const started = startExecutable('podman', [...global, 'run', ...options, image, ...serve]);
  let answer = '';
  try {
    const banner = await started.said(/"msg":"serving"/);
    const response = await fetch(`http://127.0.0.1:${portIn(banner, 'HTTP')}/predict`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"inputs": ["I love this"]}',
    });
    answer = `${response.status} ${await response.text()}`;
  } finally {
    started.child.kill('SIGTERM');
  }
  return `${await started.ended} ${answer}`;
}
