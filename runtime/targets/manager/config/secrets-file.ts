import { tomlLocator } from './locate.ts';
import { OAUTH_KEYS, type OAuthEntry, readOAuth } from './oauth-entry.ts';
import { parseToml, type TextFile } from './parse-toml.ts';
import type { ProblemPath, Problem, Report } from './problems.ts';
import { serverName } from './server-name.ts';
import { readTable, type TableReader } from './table-reader.ts';

/** The secrets file: values that are confidential or differ between environments. */
export interface SecretsFile {
  readonly servers: ReadonlyMap<string, SecretsEntry>;
  readonly problems: readonly Problem[];
  readonly locate: (path: ProblemPath) => number | undefined;
}

/** One server's values in the secrets file. Placeholders are not expanded yet. */
export interface SecretsEntry {
  readonly path: ProblemPath;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly volumes: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** Credentials for the security schemes of an API. */
  readonly credentials: Readonly<Record<string, string>>;
  readonly oauth: OAuthEntry | undefined;
  readonly url: string | undefined;
}

const SECRETS_KEYS = ['args', 'env', 'volumes', 'headers', 'credentials', 'oauth', 'url'] as const;

/** Parses the secrets file. A missing file counts as empty. Pure. */
export function readSecretsFile(file: TextFile | undefined): SecretsFile {
  if (!file) return { servers: new Map(), problems: [], locate: () => undefined };
  const parsed = parseToml(file);
  if ('problem' in parsed) return { servers: new Map(), problems: [parsed.problem], locate: () => undefined };
  const problems: Problem[] = [];
  const locate = tomlLocator(file.text);
  const report: Report = (path, message) => {
    problems.push({ file: file.path, line: locate(path), message });
  };
  const tables = readTable(parsed.table, { path: [], label: '', report }, ['servers']).table('servers');
  const servers = new Map<string, SecretsEntry>();
  for (const written of tables?.keys() ?? []) {
    const path = ['servers', written];
    const name = serverName(written);
    if (servers.has(name)) {
      report(path, `duplicate server ${JSON.stringify(name)}; case is ignored. Merge the two tables.`);
    }
    const table = tables?.table(written, SECRETS_KEYS);
    if (table) servers.set(name, readEntry(table, path));
  }
  return { servers, problems, locate };
}

const readEntry = (table: TableReader, path: ProblemPath): SecretsEntry => ({
  path,
  args: table.texts('args') ?? [],
  env: table.record('env') ?? {},
  volumes: table.record('volumes') ?? {},
  headers: table.record('headers') ?? {},
  credentials: table.record('credentials') ?? {},
  oauth: readOAuth(table.table('oauth', OAUTH_KEYS)),
  url: table.text('url'),
});

/** The entry for a server that is not in the secrets file. */
export const noSecrets = (name: string): SecretsEntry => ({
  path: ['servers', name],
  args: [],
  env: {},
  volumes: {},
  headers: {},
  credentials: {},
  oauth: undefined,
  url: undefined,
});
