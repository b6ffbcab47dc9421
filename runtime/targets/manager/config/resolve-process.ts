import { isSecretName } from '#core/text/secret-name.ts';
import { omitUndefined } from '#core/json/omit-undefined.ts';
import { suggest } from '#core/text/suggest.ts';
import { childEnvironment } from './child-environment.ts';
import { type Mount, packageCommand, packageInstallation } from './package-launch.ts';
import { missingArgs } from './required-args.ts';
import type { ServerResolveContext } from './resolve-context.ts';
import type { LaunchEntry } from './server-entry.ts';
import type { ProcessLaunch } from './spec.ts';
import { hasReferences, referencesIn } from './user-references.ts';
import { mergeRecords, refuseSecrets, type ServerSources } from './server-sources.ts';

type ProcessEntry = Exclude<LaunchEntry, { readonly kind: 'remote' }>;

export function resolveProcess(
  launch: ProcessEntry,
  sources: ServerSources,
  context: ServerResolveContext,
): ProcessLaunch {
  const { entry, expandEntry } = sources;
  refuseSecrets(['url', 'headers', 'oauth'], sources, context);
  refuseSecrets(['credentials'], sources, context, 'openapi');
  checkVariables(sources, launch.env, context);
  const env = mergeRecords('env', launch.env, sources, context);
  const args = [...entryArgs(launch.args, sources, context), ...secretArgs(sources, context)];
  const volumes = mounts(sources, context);
  checkRequired(sources, { env, args }, context);
  if (launch.kind === 'command') refuseShell(launch.command, args, sources, context);
  const userValues = referencesIn([...args, ...Object.values(env)]);
  const start =
    launch.kind === 'package'
      ? packageCommand(launch.package, { env, volumes, limits: entry.limits })
      : { command: expandEntry.text('command', launch.command), args: [] };
  return {
    kind: 'process',
    command: start.command,
    args: [...start.args, ...args],
    env: childEnvironment(entry.name, env, context),
    ...(launch.cwd === undefined ? {} : { cwd: expandEntry.text('cwd', launch.cwd) }),
    ...(launch.kind === 'package' && launch.package.runtime === 'docker'
      ? { container: `mcp-manager-${entry.name}` }
      : omitUndefined({ limits: entry.limits })),
    ...(launch.kind === 'package' && { installation: packageInstallation(launch.package) }),
    ...(launch.kind === 'package' && launch.hash !== undefined
      ? { integrity: { name: `${launch.package.name}@${launch.package.version}`, hash: launch.hash } }
      : {}),
    ...(userValues.length > 0 && { userValues }),
  };
}

const SHELLS = new Set(['sh', 'bash', 'dash', 'zsh', 'ksh', 'fish', 'cmd', 'powershell', 'pwsh']);

/** Rejects values of users in the arguments of a shell, which would execute them. */
function refuseShell(
  command: string,
  args: readonly string[],
  { entry }: ServerSources,
  { report }: ServerResolveContext,
): void {
  const program = (command.split(/[\\/]/).at(-1) ?? '').toLowerCase().replace(/\.exe$/, '');
  if (!SHELLS.has(program) || !args.some((arg) => hasReferences(arg))) return;
  report(
    [...entry.path, 'args'],
    `server ${JSON.stringify(entry.name)}: args of the shell ${program} cannot contain \${user.…}, because the shell would execute the values. Pass them in env.`,
  );
}

/** Expands the arguments in the servers file. There, only values whose names suggest secrets count as secrets. */
function entryArgs(
  written: readonly string[],
  { entry, expandEntry }: ServerSources,
  { redactions }: ServerResolveContext,
): string[] {
  const args = expandEntry.texts('args', written);
  for (const [index, arg] of args.entries()) {
    const { name, value } = readArg(arg, args[index - 1] ?? '');
    if (isSecretName(name)) redactions.add(value, [name], entry.name);
  }
  return args;
}

function secretArgs(
  { entry, secrets, expandSecret }: ServerSources,
  { redactions }: ServerResolveContext,
): string[] {
  const args = expandSecret.texts('args', secrets.args);
  for (const [index, arg] of args.entries()) {
    const { name, value } = readArg(arg, args[index - 1] ?? '');
    redactions.add(value, [name], entry.name);
  }
  return args;
}

/** Returns an argument's name and value: `--token=x`, `x` after `--token`, or `API_KEY=x`. */
function readArg(arg: string, before: string): { readonly name: string; readonly value: string } {
  const [, name, value] = /^(-{0,2}[\w-]+)=([^]*)$/.exec(arg) ?? [];
  if (name !== undefined && value !== undefined) return { name, value };
  if (arg.startsWith('-')) return { name: '', value: '' };
  return { name: /^--?[^=]+$/.test(before) ? before : '', value: arg };
}

function checkVariables(
  { entry, secrets }: ServerSources,
  own: Readonly<Record<string, string>>,
  { report, reportSecrets }: ServerResolveContext,
): void {
  const files = [
    { names: Object.keys(own), path: entry.path, reportIn: report },
    { names: Object.keys(secrets.env), path: secrets.path, reportIn: reportSecrets },
  ];
  for (const { names, path, reportIn } of files) {
    for (const name of names.filter((name) => name === '' || /[=\0]/.test(name)))
      reportIn(
        [...path, 'env', name],
        `server ${JSON.stringify(entry.name)}: invalid variable name ${JSON.stringify(name)}. Names must not be empty or contain "=".`,
      );
  }
}

function mounts(
  { entry, secrets, expandSecret }: ServerSources,
  { reportSecrets }: ServerResolveContext,
): Mount[] {
  const folders = expandSecret.record('volumes', secrets.volumes);
  const known = Object.keys(entry.volumes);
  for (const name of Object.keys(folders).filter((name) => !known.includes(name))) {
    const suggestion = suggest(name, known);
    const wayOut =
      suggestion === undefined
        ? `Add [servers.volumes.${name}] with its path to the server.`
        : `Did you mean ${suggestion}?`;
    reportSecrets(
      [...secrets.path, 'volumes', name],
      `server ${JSON.stringify(entry.name)} has no volume ${JSON.stringify(name)}. ${wayOut}`,
    );
  }
  return Object.entries(entry.volumes).flatMap(([name, { path, required }]) => {
    const from = folders[name];
    if (required && !from) {
      reportSecrets(
        secrets.path,
        `server ${JSON.stringify(entry.name)} requires a folder for volume ${JSON.stringify(name)}. Set it with \`mcp-manager config volumes set ${entry.name} ${name}=<folder>\`.`,
      );
    }
    return from ? [{ from, path }] : [];
  });
}

function checkRequired(
  { entry: { name, path, required } }: ServerSources,
  { env, args }: { env: Readonly<Record<string, string>>; args: readonly string[] },
  { report }: ServerResolveContext,
): void {
  const label = `server ${JSON.stringify(name)}`;
  for (const key of required.env.filter((key) => !env[key]))
    report(
      [...path, 'required_env'],
      `${label} requires the variable ${key}. Set it with \`mcp-manager config env set ${name} ${key}=<value>\`.`,
    );
  for (const missing of missingArgs(args, required))
    report(
      path,
      `${label} requires the argument ${missing}. Set all arguments with \`mcp-manager config args set ${name} -- <arguments>\`.`,
    );
}
