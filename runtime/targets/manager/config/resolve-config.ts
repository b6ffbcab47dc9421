import { suggest } from '../../../core/suggest.ts';
import { type ConfigFile, readConfigFile } from './config-file.ts';
import type { Environment } from '../../../core/expand.ts';
import type { TextFile } from './parse-toml.ts';
import { describeProblem, type Problem, problemsError, type Report } from './problems.ts';
import { createRedactions } from '../../../core/redactions.ts';
import { resolveServer } from './resolve-server.ts';
import { noSecrets, readSecretsFile, type SecretsFile } from './secrets-file.ts';
import type { ManagerConfig, ServerTimeouts } from './spec.ts';

/** What a configuration is made of, read from wherever it is. */
export interface ConfigSources {
  readonly servers: TextFile;
  readonly secrets: TextFile | undefined;
  readonly env: Environment;
  readonly platform: string;
  /** Times from the command line; they go before those of `[daemon]`, and those of a server before them. */
  readonly timeouts?: Partial<ServerTimeouts> | undefined;
}

export interface ResolvedConfig extends Omit<ManagerConfig, 'files'> {
  readonly warnings: readonly string[];
}

/** Checks and resolves a configuration; throws one ConfigError with all that is wrong. Pure. */
export function resolveConfig(sources: ConfigSources): ResolvedConfig {
  const config = readConfigFile(sources.servers);
  const secrets = readSecretsFile(sources.secrets);
  const problems: Problem[] = [...config.problems, ...secrets.problems];
  const redactions = createRedactions();
  const reporter =
    (file: string, { locate }: Pick<ConfigFile | SecretsFile, 'locate'>): Report =>
    (path, message) => {
      problems.push({ file, line: locate(path), message });
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
    .map((entry) => resolveServer(entry, secrets.servers.get(entry.name) ?? noSecrets(entry.name), context));
  const isFirst = ({ file }: Problem): number => (file === sources.servers.path ? 0 : 1);
  if (problems.length > 0) throw problemsError(problems.toSorted((a, b) => isFirst(a) - isFirst(b)));
  return {
    servers,
    daemon: config.daemon.settings,
    plugins: config.plugins,
    secrets: redactions.values(),
    warnings: [...config.warnings, ...strangers(config, secrets, sources.secrets?.path ?? '')],
  };
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
