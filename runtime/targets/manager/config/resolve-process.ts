import { isSecretName } from '../../../core/text/secret-name.ts';
import { suggest } from '../../../core/text/suggest.ts';
import { childEnvironment } from './child-environment.ts';
import { type Mount, packageCommand } from './package-launch.ts';
import { missingArgs } from './required-args.ts';
import type { ResolveContext } from './resolve-context.ts';
import type { LaunchEntry } from './server-entry.ts';
import type { ProcessLaunch } from './spec.ts';
import { mergeRecords, refuseSecrets, type TwoSides } from './two-sides.ts';

type ProcessEntry = Exclude<LaunchEntry, { readonly kind: 'remote' }>;

export function resolveProcess(
  launch: ProcessEntry,
  sides: TwoSides,
  context: ResolveContext,
): ProcessLaunch {
  const { entry, expandEntry } = sides;
  refuseSecrets(['url', 'headers', 'oauth'], sides, context);
  checkVariables(sides, launch.env, context);
  const env = mergeRecords('env', launch.env, sides, context);
  const args = [...entryArgs(launch.args, sides, context), ...secretArgs(sides, context)];
  const volumes = mounts(sides, context);
  checkRequired(sides, { env, args }, context);
  const start =
    launch.kind === 'package'
      ? packageCommand(launch.package, { env, volumes })
      : { command: expandEntry.text('command', launch.command), args: [] };
  return {
    kind: 'process',
    command: start.command,
    args: [...start.args, ...args],
    env: childEnvironment(entry.name, env, context),
    ...(launch.cwd === undefined ? {} : { cwd: expandEntry.text('cwd', launch.cwd) }),
    ...(launch.kind === 'package' && launch.package.runtime === 'docker'
      ? { container: `mcp-manager-${entry.name}` }
      : {}),
  };
}

/** In this file, a value is a secret only by its name. */
function entryArgs(
  written: readonly string[],
  { entry, expandEntry }: TwoSides,
  { redactions }: ResolveContext,
): string[] {
  const args = expandEntry.texts('args', written);
  for (const [index, arg] of args.entries()) {
    const { name, value } = readArg(arg, args[index - 1] ?? '');
    if (isSecretName(name)) redactions.add(value, [name], entry.name);
  }
  return args;
}

function secretArgs({ entry, secrets, expandSecret }: TwoSides, { redactions }: ResolveContext): string[] {
  const args = expandSecret.texts('args', secrets.args);
  for (const [index, arg] of args.entries()) {
    const { name, value } = readArg(arg, args[index - 1] ?? '');
    redactions.add(value, [name], entry.name);
  }
  return args;
}

/** A value is called by its flag, `--token=x` or `--token x`, or by the name before it, `API_KEY=x`. */
function readArg(arg: string, before: string): { readonly name: string; readonly value: string } {
  const [, name, value] = /^(-{0,2}[\w-]+)=([^]*)$/.exec(arg) ?? [];
  if (name !== undefined && value !== undefined) return { name, value };
  if (arg.startsWith('-')) return { name: '', value: '' };
  return { name: /^--?[^=]+$/.test(before) ? before : '', value: arg };
}

function checkVariables(
  { entry, secrets }: TwoSides,
  own: Readonly<Record<string, string>>,
  { report, reportSecrets }: ResolveContext,
): void {
  const sides = [
    { names: Object.keys(own), path: entry.path, tell: report },
    { names: Object.keys(secrets.env), path: secrets.path, tell: reportSecrets },
  ];
  for (const { names, path, tell } of sides) {
    for (const name of names.filter((name) => name === '' || /[=\0]/.test(name)))
      tell(
        [...path, 'env', name],
        `server ${JSON.stringify(entry.name)}: the variable ${JSON.stringify(name)} cannot be set: names are not empty and hold no "=".`,
      );
  }
}

function mounts({ entry, secrets, expandSecret }: TwoSides, { reportSecrets }: ResolveContext): Mount[] {
  const folders = expandSecret.record('volumes', secrets.volumes);
  const known = Object.keys(entry.volumes);
  for (const name of Object.keys(folders).filter((name) => !known.includes(name))) {
    const meant = suggest(name, known);
    const wayOut =
      meant === undefined
        ? `Add [servers.volumes.${name}] with its path to the server first.`
        : `Did you mean ${meant}?`;
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
        `server ${JSON.stringify(entry.name)} needs a folder for its volume ${JSON.stringify(name)}. Give it with \`mcp-manager config volumes set ${entry.name} ${name}=<folder>\`.`,
      );
    }
    return from ? [{ from, path }] : [];
  });
}

function checkRequired(
  { entry: { name, path, required } }: TwoSides,
  { env, args }: { env: Readonly<Record<string, string>>; args: readonly string[] },
  { report }: ResolveContext,
): void {
  const label = `server ${JSON.stringify(name)}`;
  for (const key of required.env.filter((key) => !env[key]))
    report(
      [...path, 'required_env'],
      `${label} needs the variable ${key}. Give it with \`mcp-manager config env set ${name} ${key}=<value>\`.`,
    );
  for (const missing of missingArgs(args, required))
    report(
      path,
      `${label} needs the argument ${missing}. Give it with \`mcp-manager config args set ${name} -- <all its arguments>\`.`,
    );
}
