import type { ProcessLimits } from '../../../core/limits/process-limits.ts';

/** The parts of `<runtime>::<name>@<version>`. */
export interface Package {
  readonly runtime: PackageRuntime;
  readonly name: string;
  readonly version: string;
}

export const PACKAGE_RUNTIMES = ['npx', 'uvx', 'docker'] as const;
export type PackageRuntime = (typeof PACKAGE_RUNTIMES)[number];

export interface PackageCommand {
  readonly command: string;
  readonly args: readonly string[];
}

/** Parses a package; returns a text that explains the problem if it is invalid. */
export function parsePackage(text: string): Package | string {
  const rule = 'Use <npx|uvx|docker>::<name>@<version>, e.g. "npx::@scope/server@1.2.3"';
  const [, runtime, name, version] = /^([^:]*)::(.[^@\s]*)@([^@\s]+)$/.exec(text) ?? [];
  if (!runtime || !name || !version) {
    if (/^[a-z]+::(?:@[^@\s]+\/)?[^@\s]+$/.test(text)) {
      return `package ${JSON.stringify(text)} has no version. Add one; @latest selects the newest.`;
    }
    return `invalid package ${JSON.stringify(text)}. ${rule}.`;
  }
  const known = PACKAGE_RUNTIMES.find((candidate) => candidate === runtime);
  if (!known) return `unknown package runtime ${JSON.stringify(runtime)}. ${rule}.`;
  return { runtime: known, name, version };
}

/**
 * Returns the command that starts a package, to which the arguments of the server are appended. Only containers get their
 * environment on the command line; other packages inherit it.
 */
export function packageCommand(
  { runtime, name, version }: Package,
  { env, volumes, limits = {} }: PackageValues,
): PackageCommand {
  if (runtime === 'npx') return { command: 'npx', args: ['-y', `${name}@${version}`] };
  if (runtime === 'uvx') return { command: 'uvx', args: [`${name}@${version}`] };
  const mounts = volumes.flatMap(({ from, path }) => ['--volume', `${from}:${path}`]);
  // Docker reads the values from its own environment: on its command line, every user of the machine could see them.
  const variables = Object.keys(env).flatMap((key) => ['-e', key]);
  // A digest follows @, a tag follows a colon.
  const image = `${name}${version.startsWith('sha256:') ? '@' : ':'}${version}`;
  return {
    command: 'docker',
    args: ['run', '-i', '--rm', '--network', 'host', ...limitArgs(limits), ...mounts, ...variables, image],
  };
}

/** Docker has the flags for limits that cgroups have files for. A container is not in the cgroup of the docker command. */
const limitArgs = ({ memory, cpus, processes }: ProcessLimits): string[] => [
  ...(memory === undefined ? [] : ['--memory', String(memory), '--memory-swap', String(memory)]),
  ...(cpus === undefined ? [] : ['--cpus', String(cpus)]),
  ...(processes === undefined ? [] : ['--pids-limit', String(processes)]),
];

interface PackageValues {
  readonly env: Readonly<Record<string, string>>;
  readonly volumes: readonly Mount[];
  readonly limits?: ProcessLimits | undefined;
}

export interface Mount {
  readonly from: string;
  readonly path: string;
}
