import { suggest } from '#core/text/suggest.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import { pinsOf, unpinnedWarnings } from './pins-of.ts';
import { readPinsFile } from './pins-file.ts';
import type { Environment } from '#core/text/expand.ts';
import type { TextFile } from './parse-toml.ts';
import { describeProblem, type Problem, problemsError, type Report } from './problems.ts';
import { createRedactions } from '#core/text/redactions.ts';
import { resolveServer } from './resolve-server.ts';
import { noSecrets, readSecretsFile, type SecretsFile } from './secrets-file.ts';
import type { ServerEntry } from './server-entry.ts';
import type { ManagerConfig, ServerSpec, ServerTimeouts } from './spec.ts';

/** The contents from which a configuration is resolved. */
export interface ConfigSources {
  readonly servers: TextFile;
  readonly secrets: TextFile | undefined;
  /** The pinned tools. */
  readonly pins?: TextFile | undefined;
  readonly env: Environment;
  readonly platform: string;
  /** Timeouts from the command line. They take precedence over `[daemon]`, and those of a server over them. */
  readonly timeouts?: Partial<ServerTimeouts> | undefined;
  /** Whether servers with invalid values are kept and marked unusable. Otherwise they make the configuration invalid. */
  readonly keepsUnusable?: boolean | undefined;
}

export interface ResolvedConfig extends Omit<ManagerConfig, 'files'> {
  readonly warnings: readonly string[];
  /** Facts that are normal in some setups, and can explain a mistake in others. */
  readonly notes: readonly string[];
  /** Problems of the unusable servers. */
  readonly problems: readonly string[];
}

/** Validates and resolves a configuration; throws one ConfigError with all problems. Pure. */
export function resolveConfig(sources: ConfigSources): ResolvedConfig {
  const config = readConfigFile(sources.servers);
  const secrets = readSecretsFile(sources.secrets);
  const pins = readPinsFile(sources.pins);
  const fileProblems = [...config.problems, ...secrets.problems, ...pins.problems];
  const serverProblems: Problem[] = [];
  const redactions = createRedactions();
  const reporter =
    (file: string, { locate }: Pick<ConfigFile | SecretsFile, 'locate'>): Report =>
    (path, message) => {
      serverProblems.push({ file, line: locate(path), message });
    };
  const context = {
    env: sources.env,
    platform: sources.platform,
    timeouts: { ...config.daemon.timeouts, ...sources.timeouts },
    redactions,
    containsSecrets: config.containsSecrets,
    pins: (entry: ServerEntry) => pinsOf(entry, pins),
    report: reporter(sources.servers.path, config),
    reportSecrets: reporter(sources.secrets?.path ?? sources.servers.path, secrets),
  };
  const servers = config.entries
    .filter(({ enabled }) => enabled)
    .map((entry) => {
      const before = serverProblems.length;
      const spec = resolveServer(entry, secrets.servers.get(entry.name) ?? noSecrets(entry.name), context);
      return markUnusable(spec, serverProblems.slice(before));
    });
  const isFirst = ({ file }: Problem): number => (file === sources.servers.path ? 0 : 1);
  if (fileProblems.length > 0 || (serverProblems.length > 0 && sources.keepsUnusable !== true)) {
    const all = [...fileProblems, ...serverProblems];
    throw problemsError(all.toSorted((a, b) => isFirst(a) - isFirst(b)));
  }
  return {
    servers,
    daemon: config.daemon.settings,
    groups: config.groups,
    plugins: config.plugins,
    secrets: redactions.all(),
    problems: serverProblems.map(describeProblem),
    notes: unknownServerNotes(config, secrets, sources.secrets?.path ?? ''),
    warnings: [...config.warnings, ...unpinnedWarnings(config, pins, sources.servers.path)],
  };
}

/** Replaces the launch of a server that has problems by a description of them. */
function markUnusable(spec: ServerSpec, problems: readonly Problem[]): ServerSpec {
  if (problems.length === 0) return spec;
  const prefix = `server ${JSON.stringify(spec.name)}: `;
  const sentences = new Set(problems.map(({ message }) => message.replace(prefix, '')));
  const problem = [...sentences].join(' ');
  const { launch } = spec;
  const installable = launch.kind === 'process' && launch.installation ? { package: launch } : {};
  return { ...spec, launch: { kind: 'unusable', problem, ...installable } };
}

/** Maximum number of names in a note. */
const MAX_NAMES = 5;

/**
 * One note about values in the secrets file for unknown servers. Their names can be misspelled, but usually they are servers of other
 * projects, because all projects of a user share the file.
 */
function unknownServerNotes(config: ConfigFile, secrets: SecretsFile, file: string): string[] {
  const unknown = [...secrets.servers.keys()].filter((name) => !config.names.includes(name));
  const [first] = unknown;
  if (first === undefined) return [];
  const quote = (name: string): string => JSON.stringify(name);
  const similar = unknown.flatMap((name) => {
    const suggestion = suggest(name, config.names);
    return suggestion === undefined ? [] : [` Did you mean ${quote(suggestion)} instead of ${quote(name)}?`];
  });
  const more = unknown.length > MAX_NAMES ? ` and ${unknown.length - MAX_NAMES} more` : '';
  const message = `these servers have values here, but are not configured: ${unknown.slice(0, MAX_NAMES).map(quote).join(', ')}${more}.${similar[0] ?? ''}`;
  const line = secrets.locate(secrets.servers.get(first)?.path ?? []);
  return [describeProblem({ file, line, message })];
}
