import { readPluginSettings } from './read-plugins.ts';
import type { PluginSettings } from './plugin-settings.ts';
import { type DaemonSection, DAEMON_KEYS, readDaemon } from './daemon-settings.ts';
import type { GroupSpec } from './group-spec.ts';
import { tomlLocator } from './locate.ts';
import { parseMcpServers } from './parse-mcp-servers.ts';
import { parseToml, type TextFile } from './parse-toml.ts';
import { describeProblem, type Path, type Problem, type Report } from './problems.ts';
import { readGroups } from './read-groups.ts';
import { readServerEntry, SERVER_KEYS, type ServerEntry } from './server-entry.ts';
import { serverName, variablePrefix } from './server-name.ts';
import { isTable, describeValue, readTable, type Table } from './table-reader.ts';

/** The servers file, with the checks that do not require the secrets file and the environment. */
export interface ConfigFile {
  readonly entries: readonly ServerEntry[];
  /** The names of all servers, including those with problems. */
  readonly names: readonly string[];
  readonly daemon: DaemonSection;
  readonly plugins: PluginSettings;
  readonly groups: readonly GroupSpec[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** Returns the line of a value, for problems that are found later. */
  readonly locate: (path: Path) => number | undefined;
  /** Whether values of this file are secrets, too, because there is no separate file for them, as with JSON. */
  readonly containsSecrets: boolean;
}

export const isJsonPath = (path: string): boolean => path.toLowerCase().endsWith('.json');

/** Reads `.mcpd.toml`, or a JSON file of `mcpServers`. Pure. */
export function readConfigFile(file: TextFile): ConfigFile {
  const containsSecrets = isJsonPath(file.path);
  if (file.text.trim() === '') {
    const empty = containsSecrets ? '{"mcpServers": {}}' : 'servers = []';
    return failed(
      {
        file: file.path,
        line: undefined,
        message: `the file is empty. To configure no servers, write ${empty}.`,
      },
      containsSecrets,
    );
  }
  const parsed = containsSecrets ? parseMcpServers(file) : parseToml(file);
  if ('problem' in parsed) return failed(parsed.problem, containsSecrets);
  if ('table' in parsed) return readTables(file, parsed.table);
  const tables = { servers: parsed.servers.map(({ value }) => value), groups: parsed.groups };
  const result = readTables(file, tables, (path) => parsed.servers[Number(path[1])]?.name);
  return { ...result, containsSecrets, warnings: [...parsed.warnings, ...result.warnings] };
}

const failed = (problem: Problem, containsSecrets: boolean): ConfigFile => ({
  entries: [],
  names: [],
  daemon: readDaemon(undefined),
  plugins: { plugins: [] },
  groups: [],
  problems: [problem],
  warnings: [],
  locate: () => undefined,
  containsSecrets,
});

const TOP_LEVEL = new Set(['servers', 'daemon', 'groups', 'plugins']);

function readTables(file: TextFile, table: Table, nameAt?: (path: Path) => string | undefined): ConfigFile {
  const problems: Problem[] = [];
  const locate = nameAt ? () => undefined : tomlLocator(file.text);
  const report: Report = (path, message) => {
    problems.push({ file: file.path, line: locate(path), message });
  };
  const warn = (path: Path, message: string): string =>
    describeProblem({ file: file.path, line: locate(path), message });
  const warnings = Object.keys(table)
    .filter((key) => !TOP_LEVEL.has(key))
    .map((key) => warn([key], `unknown key ${describeValue(key)} is ignored.`));
  const servers = readServers(table['servers'], report);
  checkNames(servers, report);
  const names = namesOf(table['servers']);
  const daemon = readTable(table, { path: [], label: '', report }).table('daemon', DAEMON_KEYS['']);
  return {
    entries: servers,
    names,
    daemon: readDaemon(daemon),
    plugins: readPluginSettings(table['plugins'], report),
    groups: readGroups(table['groups'], names, report),
    problems,
    warnings,
    locate,
    containsSecrets: false,
  };
}

function readServers(value: unknown, report: Report): ServerEntry[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(['servers'], 'servers must be a list. Start each server with [[servers]], in double brackets.');
    return [];
  }
  return value.flatMap((server: unknown, index) => {
    const path = ['servers', index];
    if (!isTable(server)) {
      report(path, `a server must be a table, not ${describeValue(server)}.`);
      return [];
    }
    const name =
      typeof server['name'] === 'string' ? `server ${JSON.stringify(server['name'])}` : `server ${index + 1}`;
    const entry = readServerEntry(readTable(server, { path, label: name, report }, SERVER_KEYS), path);
    return entry ? [entry] : [];
  });
}

/** The names of all servers, including those with problems. */
export const namesOf = (servers: unknown): string[] =>
  (Array.isArray(servers) ? servers : [])
    .map((server: unknown) => (isTable(server) ? server['name'] : undefined))
    .filter((name) => typeof name === 'string')
    .map((name) => serverName(name));

function checkNames(servers: readonly ServerEntry[], report: Report): void {
  const byName = new Map<string, ServerEntry>();
  const byPrefix = new Map<string, ServerEntry>();
  for (const server of servers) {
    const { name, path } = server;
    const prefix = variablePrefix(name);
    const twin = byPrefix.get(prefix);
    if (byName.has(name)) {
      report(
        [...path, 'name'],
        `duplicate server name ${JSON.stringify(name)}; case is ignored. Rename one of the servers.`,
      );
    } else if (twin) {
      report(
        [...path, 'name'],
        `servers ${JSON.stringify(twin.name)} and ${JSON.stringify(name)} have the same variable prefix ${prefix}. Rename one of them.`,
      );
    }
    byName.set(name, server);
    byPrefix.set(prefix, server);
  }
}
