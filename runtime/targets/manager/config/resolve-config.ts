import { suggest } from '../../../core/text/suggest.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import type { Environment } from '../../../core/text/expand.ts';
import type { TextFile } from './parse-toml.ts';
import { describeProblem, type Problem, problemsError, type Report } from './problems.ts';
import { createRedactions } from '../../../core/text/redactions.ts';
import { resolveServer } from './resolve-server.ts';
import { noSecrets, readSecretsFile, type SecretsFile } from './secrets-file.ts';
import type { ManagerConfig, ServerSpec, ServerTimeouts } from './spec.ts';

/** What a configuration is made of, read from wherever it is. */
export interface ConfigSources {
  readonly servers: TextFile;
  readonly secrets: TextFile | undefined;
  readonly env: Environment;
  readonly platform: string;
  /** Times from the command line; they go before those of `[daemon]`, and those of a server before them. */
  readonly timeouts?: Partial<ServerTimeouts> | undefined;
  /** Whether servers with wrong values are kept, as unusable ones. Otherwise they make the configuration invalid. */
  readonly keepsUnusable?: boolean | undefined;
}

export interface ResolvedConfig extends Omit<ManagerConfig, 'files'> {
  readonly warnings: readonly string[];
  /** What is wrong with the servers that are unusable. */
  readonly problems: readonly string[];
}

/** Checks and resolves a configuration; throws one ConfigError with all that is wrong. Pure. */
export function resolveConfig(sources: ConfigSources): ResolvedConfig {
  const config = readConfigFile(sources.servers);
  const secrets = readSecretsFile(sources.secrets);
  const fileProblems = [...config.problems, ...secrets.problems];
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
    holdsSecrets: config.holdsSecrets,
    report: reporter(sources.servers.path, config),
    reportSecrets: reporter(sources.secrets?.path ?? sources.servers.path, secrets),
  };
  const servers = config.entries
    .filter(({ enabled }) => enabled)
    .map((entry) => {
      const before = serverProblems.length;
      const spec = resolveServer(entry, secrets.servers.get(entry.name) ?? noSecrets(entry.name), context);
      return usableOnly(spec, serverProblems.slice(before));
    });
  const isFirst = ({ file }: Problem): number => (file === sources.servers.path ? 0 : 1);
  if (fileProblems.length > 0 || (serverProblems.length > 0 && sources.keepsUnusable !== true)) {
    const all = [...fileProblems, ...serverProblems];
    throw problemsError(all.toSorted((a, b) => isFirst(a) - isFirst(b)));
  }
  return {
    servers,
    daemon: config.daemon.settings,
    plugins: config.plugins,
    secrets: redactions.all(),
    problems: serverProblems.map(describeProblem),
    warnings: [...config.warnings, ...strangers(config, secrets, sources.secrets?.path ?? '')],
  };
}

/** The server, or why it is unusable. */
function usableOnly(spec: ServerSpec, problems: readonly Problem[]): ServerSpec {
  if (problems.length === 0) return spec;
  const prefix = `server ${JSON.stringify(spec.name)}: `;
  const sentences = new Set(problems.map(({ message }) => message.replace(prefix, '')));
  const problem = [...sentences].join(' ');
  return { ...spec, launch: { kind: 'unusable', problem } };
}

/** Values for servers that are not there: the name may be misspelt. */
function strangers(config: ConfigFile, secrets: SecretsFile, file: string): string[] {
  const { names } = config;
  return [...secrets.servers]
    .filter(([name]) => !names.includes(name))
    .map(([name, { path }]) => {
      const meant = suggest(name, names);
      const hint = meant === undefined ? '' : ` Did you mean ${JSON.stringify(meant)}?`;
      const message = `there is no server ${JSON.stringify(name)} that these values are for.${hint}`;
      return describeProblem({ file, line: secrets.locate(path), message });
    });
}
