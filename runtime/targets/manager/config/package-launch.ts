import type { ProcessLimits } from '#core/limits/process-limits.ts';
import type { PackageCommand, PackageInstallation } from './spec.ts';

/** The components of `<runtime>::<name>@<version>`, and further settings that select the program. */
export interface Package {
  readonly runtime: PackageRuntime;
  readonly name: string;
  readonly version: string;
  /** The package's program, if its name differs from the package name. */
  readonly bin?: string | undefined;
  /** Additional requirements of a uvx package, e.g. `mcp<2`. */
  readonly extra?: readonly string[] | undefined;
}

export const PACKAGE_RUNTIMES = ['npx', 'uvx', 'docker'] as const;
export type PackageRuntime = (typeof PACKAGE_RUNTIMES)[number];

/** Parses a package; returns an explanation if it is invalid. */
export function parsePackage(text: string): Package | string {
  const rule = 'Use <npx|uvx|docker>::<name>@<version>, e.g. "npx::@scope/server@1.2.3"';
  const [, runtime, name, version] = /^([^:]*)::(.[^@\s]*)@([^@\s]+)$/.exec(text) ?? [];
  if (!runtime || !name || !version) {
    if (/^[a-z]+::(?:@[^@\s/]+\/)?[^@\s]+$/.test(text)) {
      return `package ${JSON.stringify(text)} has no version. Add one; @latest selects the newest.`;
    }
    return `invalid package ${JSON.stringify(text)}. ${rule}.`;
  }
  const known = PACKAGE_RUNTIMES.find((candidate) => candidate === runtime);
  if (!known) return `unknown package runtime ${JSON.stringify(runtime)}. ${rule}.`;
  return { runtime: known, name, version };
}

/**
 * Returns the command that starts a package, before the server's own arguments. Only containers get their
 * environment on the command line; other packages inherit it.
 */
export function packageCommand(
  { runtime, name, version, bin, extra = [] }: Package,
  { env, volumes, limits = {} }: PackageValues,
): PackageCommand {
  const versioned = `${name}@${version}`;
  if (runtime === 'npx') {
    const args = bin === undefined ? ['-y', versioned] : ['-y', `--package=${versioned}`, bin];
    return { command: 'npx', args };
  }
  if (runtime === 'uvx') {
    const start = bin === undefined ? [versioned] : ['--from', versioned, bin];
    return { command: 'uvx', args: [...withExtra(extra), ...start] };
  }
  const mounts = volumes.flatMap(({ from, path }) => ['--volume', `${from}:${path}`]);
  // Docker reads the values from its own environment. If they were on the command line, every user
  // of the machine could see them.
  const variables = Object.keys(env).flatMap((key) => ['-e', key]);
  const image = imageOf(name, version);
  return {
    command: 'docker',
    args: ['run', '-i', '--rm', '--network', 'host', ...limitArgs(limits), ...mounts, ...variables, image],
  };
}

/**
 * Returns how to install a package without starting its server. The commands use the same folders as
 * `packageCommand`: npx derives the folder name from the package, uv shares environments between equal
 * requirements.
 */
export function packageInstallation({ runtime, name, version, extra = [] }: Package): PackageInstallation {
  const versioned = `${name}@${version}`;
  const common = { label: `${runtime}::${versioned}` };
  if (runtime === 'npx') {
    // With the log level `http`, npm prints a line per download. These lines are used to report progress.
    const args = ['--loglevel=http', '-y', `--package=${versioned}`, '-c', 'exit 0'];
    const isExact = /^\d+\.\d+\.\d+/.test(version);
    return { ...common, command: { command: 'npx', args }, npx: [versioned], isExact };
  }
  if (runtime === 'uvx') {
    const args = [...withExtra(extra), '--from', versioned, 'python', '-c', ''];
    return { ...common, command: { command: 'uvx', args }, uvx: true, isExact: version !== 'latest' };
  }
  const image = imageOf(name, version);
  return {
    ...common,
    check: { command: 'docker', args: ['image', 'inspect', image] },
    command: { command: 'docker', args: ['pull', image] },
    // Docker runs the local image. To get a newer image with the same tag, `docker pull` is required.
    isExact: true,
  };
}

const withExtra = (extra: readonly string[]): string[] => extra.flatMap((one) => ['--with', one]);

/** A digest follows `@`, a tag follows a colon. */
const imageOf = (name: string, version: string): string =>
  `${name}${version.startsWith('sha256:') ? '@' : ':'}${version}`;

/**
 * For containers, limits are set with Docker's flags, because a container is not in the cgroup of
 * the docker command.
 */
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
