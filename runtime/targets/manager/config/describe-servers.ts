import { type ConfigFile, readConfigFile } from './config-file.ts';
import { maskArgs, maskUrl, maskValue } from './mask-values.ts';
import type { TextFile } from './parse-toml.ts';
import { problemsError } from './problems.ts';
import { readSecretsFile, type SecretsEntry } from './secrets-file.ts';
import type { LaunchEntry, ServerEntry } from './server-entry.ts';
import type { NameFilter } from './spec.ts';

/** A server as shown by `list`: placeholders are not expanded, and values are masked unless `reveal` is set. */
export interface ServerDescription extends Readonly<Record<string, unknown>> {
  readonly name: string;
  readonly start: string;
  readonly enabled: boolean;
  readonly tools: readonly string[];
}

/** Describes the servers in the two files, without expanding variables or checking whether they could start. */
export function describeServers(
  config: TextFile,
  secretsFile: TextFile | undefined,
  reveal: boolean,
): ServerDescription[] {
  const { entries, problems }: ConfigFile = readConfigFile(config);
  const secrets = readSecretsFile(secretsFile);
  const all = [...problems, ...secrets.problems];
  if (all.length > 0) throw problemsError(all);
  return entries.map((entry) => describe(entry, secrets.servers.get(entry.name), reveal));
}

function describe(entry: ServerEntry, secrets: SecretsEntry | undefined, reveal: boolean): ServerDescription {
  const { launch } = entry;
  const show = (record: Readonly<Record<string, string>>): Record<string, string> =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => [key, reveal ? value : maskValue(value)]),
    );
  const process = launch.kind === 'remote' ? undefined : launch;
  const args = [...(process?.args ?? []), ...(secrets?.args ?? [])];
  const details = {
    args: reveal ? args : maskArgs(args),
    env: show({ ...process?.env, ...secrets?.env }),
    headers: show({ ...(launch.kind === 'remote' ? launch.headers : {}), ...secrets?.headers }),
    credentials: show({
      ...(launch.kind === 'remote' ? launch.api?.credentials : undefined),
      ...secrets?.credentials,
    }),
    volumes: { ...secrets?.volumes },
    denyTools: entry.tools.deny,
    prompts: restriction(entry.prompts),
    resources: restriction(entry.resources),
  };
  return {
    name: entry.name,
    start: reveal ? startOf(launch) : maskUrl(startOf(launch)),
    enabled: entry.enabled,
    tools: entry.tools.allow,
    readOnly: entry.readOnly,
    lazy: entry.lazy,
    ...Object.fromEntries(Object.entries(details).filter(([, value]) => Object.keys(value).length > 0)),
  };
}

function startOf(launch: LaunchEntry): string {
  if (launch.kind === 'remote') return launch.url;
  if (launch.kind === 'command') return launch.command;
  const { runtime, name, version } = launch.package;
  return `${runtime}::${name}@${version}`;
}

/** Lists a filter's patterns; empty if everything is allowed, which is the default. */
const restriction = ({ allow, deny }: NameFilter): readonly string[] => [
  ...(allow.join() === '*' ? [] : allow),
  ...deny.map((name) => `!${name}`),
];
