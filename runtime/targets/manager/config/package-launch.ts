/** `<runtime>::<name>@<version>`, taken apart. */
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

/** A package, or what is wrong with it. */
export function parsePackage(text: string): Package | string {
  const rule = 'Write <npx|uvx|docker>::<name>@<version>, as in "npx::@scope/server@1.2.3"';
  const [, runtime, name, version] = /^([^:]*)::(.[^@\s]*)@([^@\s]+)$/.exec(text) ?? [];
  if (!runtime || !name || !version) {
    const noVersion = /^[a-z]+::.[^@\s]*$/.test(text) ? ` It has no version; @latest takes the newest.` : '';
    return `${JSON.stringify(text)} is no package. ${rule}.${noVersion}`;
  }
  const known = PACKAGE_RUNTIMES.find((candidate) => candidate === runtime);
  if (!known) return `${JSON.stringify(runtime)} does not run packages. ${rule}.`;
  return { runtime: known, name, version };
}

/** How a package is started, up to where the server's own arguments go. Only containers get their environment this way. */
export function packageCommand(
  { runtime, name, version }: Package,
  { env, volumes }: { env: Readonly<Record<string, string>>; volumes: readonly Mount[] },
): PackageCommand {
  if (runtime === 'npx') return { command: 'npx', args: ['-y', `${name}@${version}`] };
  if (runtime === 'uvx') return { command: 'uvx', args: [`${name}@${version}`] };
  const mounts = volumes.flatMap(({ from, path }) => ['--volume', `${from}:${path}`]);
  // Docker takes the values from its own environment; on its command line every user of the machine could read them.
  const variables = Object.keys(env).flatMap((key) => ['-e', key]);
  // A digest is told from a tag by its @.
  const image = `${name}${version.startsWith('sha256:') ? '@' : ':'}${version}`;
  return {
    command: 'docker',
    args: ['run', '-i', '--rm', '--network', 'host', ...mounts, ...variables, image],
  };
}

export interface Mount {
  readonly from: string;
  readonly path: string;
}
