import { dirname } from 'node:path';
import { readPluginSettings } from './read-plugins.ts';
import type { PluginSettings } from './plugin-settings.ts';
import { type DaemonSection, DAEMON_KEYS, readDaemon } from './daemon-settings.ts';
import type { GroupSpec } from './group-spec.ts';
import { tomlLocator } from './locate.ts';
import { MCP_MODES } from './mcp-mode.ts';
import { parseMcpServers } from './parse-mcp-servers.ts';
import { parseToml, type TextFile } from './parse-toml.ts';
import { describeProblem, type ProblemPath, type Problem, type Report } from './problems.ts';
import { readServerEntry, SERVER_KEYS, type ServerEntry } from './server-entry.ts';
import { serverName, variablePrefix, nameProblem } from './server-name.ts';
import { isTable, describeValue, readTable, type TomlTable, type TableReader } from './table-reader.ts';
import { matchesAny } from '#core/text/name-pattern.ts';

/** The parsed servers file, checked as far as possible without the secrets file and the environment. */
export interface ConfigFile {
  readonly entries: readonly ServerEntry[];
  /** All server names, including servers with problems. */
  readonly names: readonly string[];
  readonly daemon: DaemonSection;
  readonly plugins: PluginSettings;
  readonly groups: readonly GroupSpec[];
  readonly problems: readonly Problem[];
  readonly warnings: readonly string[];
  /** Returns the line of a value, for problems that are detected later. */
  readonly locate: (path: ProblemPath) => number | undefined;
  /**
   * Whether values in this file are also treated as secrets. This is the case for JSON files,
   * because they have no separate secrets file.
   */
  readonly containsSecrets: boolean;
}

export const isJsonPath = (path: string): boolean => path.toLowerCase().endsWith('.json');

/** Parses `.mcpd.toml`, or a JSON file with `mcpServers`. Pure. */
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
  daemon: readDaemon(undefined, '.'),
  plugins: { plugins: [] },
  groups: [],
  problems: [problem],
  warnings: [],
  locate: () => undefined,
  containsSecrets,
});

const TOP_LEVEL = new Set(['servers', 'daemon', 'groups', 'plugins']);

function readTables(
  file: TextFile,
  table: TomlTable,
  nameAt?: (path: ProblemPath) => string | undefined,
): ConfigFile {
  const problems: Problem[] = [];
  const locate = nameAt ? () => undefined : tomlLocator(file.text);
  const report: Report = (path, message) => {
    problems.push({ file: file.path, line: locate(path), message });
  };
  const warn = (path: ProblemPath, message: string): string =>
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
    daemon: readDaemon(daemon, dirname(file.path)),
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

/** All server names, including servers with problems. */
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

const KEYS = ['name', 'servers', 'tools', 'prompts', 'resources', 'mcp_mode'];

/** Parses `[[groups]]`. Reports problems, including groups that do not mention any configured server. */
function readGroups(value: unknown, serverNames: readonly string[], report: Report): GroupSpec[] {
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(['groups'], 'groups must be a list. Start each group with [[groups]], in double brackets.');
    return [];
  }
  const taken = new Set<string>();
  return value.flatMap((item: unknown, index) => {
    const path = ['groups', index];
    if (!isTable(item)) {
      report(path, `a group must be a table, not ${describeValue(item)}.`);
      return [];
    }
    const shown = typeof item['name'] === 'string' ? JSON.stringify(item['name']) : index + 1;
    const group = readGroup(readTable(item, { path, label: `group ${shown}`, report }, KEYS), serverNames);
    if (!group) return [];
    if (taken.has(group.name)) {
      report(
        [...path, 'name'],
        `duplicate group name ${JSON.stringify(group.name)}. Rename one of the groups.`,
      );
    }
    taken.add(group.name);
    return [group];
  });
}

function readGroup(table: TableReader, serverNames: readonly string[]): GroupSpec | undefined {
  const written = table.text('name');
  const [servers, tools, prompts, resources] = (['servers', 'tools', 'prompts', 'resources'] as const).map(
    (key) => readPatterns(table, key, serverNames),
  );
  const mcpMode = table.choice('mcp_mode', MCP_MODES);
  if (written === undefined) {
    if (!table.mentions('name')) table.report('name is missing. Add one, e.g. name = "research".');
    return undefined;
  }
  const problem = nameProblem(written, 'group');
  if (problem !== undefined) {
    table.report(problem, 'name');
    return undefined;
  }
  const group = {
    servers: servers ?? [],
    tools: tools ?? [],
    prompts: prompts ?? [],
    resources: resources ?? [],
  };
  if (Object.values(group).every((patterns) => patterns.length === 0)) {
    // A key without patterns has all permissions. In contrast, a group without patterns is an error.
    table.report('the group is empty. List its servers, e.g. servers = ["time"], or its tools.');
  }
  return { name: serverName(written), ...group, ...(mcpMode === undefined ? {} : { mcpMode }) };
}

/** Parses patterns. A pattern for an unknown server is an error, because the group would silently lack its tools. */
function readPatterns(
  table: TableReader,
  key: 'servers' | 'tools' | 'prompts' | 'resources',
  serverNames: readonly string[],
): readonly string[] {
  const patterns = table.texts(key) ?? [];
  for (const pattern of patterns) {
    const slash = pattern.indexOf('/');
    const server = slash === -1 ? pattern : pattern.slice(0, slash);
    if (key !== 'servers' && slash === -1) {
      table.report(
        `${key} must contain patterns of the form server/name, not ${JSON.stringify(pattern)}.`,
        key,
      );
    } else if (!serverNames.some((name) => matchesAny([server], name))) {
      table.report(
        `${key}: no server matches ${JSON.stringify(server)}. Known servers: ${serverNames.join(', ') || 'none'}.`,
        key,
      );
    }
  }
  return patterns;
}
