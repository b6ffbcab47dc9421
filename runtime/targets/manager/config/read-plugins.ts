import type { ProblemPath, Report } from './problems.ts';
import { isTable, describeValue, readTable, type TableReader } from './table-reader.ts';
import {
  DEFAULT_PLUGIN_TIMEOUT_MS,
  PLUGIN_CATEGORIES,
  PLUGIN_FLOWS,
  PLUGIN_KINDS,
  type PluginCategory,
  type PluginFlow,
  type PluginLaunch,
  type PluginSettings,
  type PluginSpec,
} from './plugin-settings.ts';

const COMMON_KEYS = ['name', 'kind', 'required', 'flows', 'timeout', 'config'];
const KEYS_BY_KIND = { exec: ['commit_hash'], http: ['url'], js: ['path'] } as const;
const PLUGIN_KEYS = [...COMMON_KEYS, ...Object.values(KEYS_BY_KIND).flat()];

/** Parses `[plugins]`. Reports problems, and returns the valid plugins. */
export function readPluginSettings(table: unknown, report: Report): PluginSettings {
  if (table === undefined) return { plugins: [] };
  if (!isTable(table)) {
    report(['plugins'], `plugins must be a table, not ${describeValue(table)}.`);
    return { plugins: [] };
  }
  const context = { path: ['plugins'], label: 'plugins', report };
  const section = readTable(table, context, ['dir', ...PLUGIN_CATEGORIES]);
  const dir = section.text('dir');
  return {
    plugins: PLUGIN_CATEGORIES.flatMap((category) => readCategory(table[category], category, dir, report)),
  };
}

function readCategory(
  value: unknown,
  category: PluginCategory,
  dir: string | undefined,
  report: Report,
): readonly PluginSpec[] {
  const path = ['plugins', category];
  if (value === undefined) return [];
  if (!Array.isArray(value)) {
    report(path, `plugins.${category} must be a list. Start each plugin with [[plugins.${category}]].`);
    return [];
  }
  const taken = new Set<string>();
  return value.flatMap((item: unknown, index) => {
    const spec = readPlugin(item, category, [...path, index], dir, report);
    if (!spec) return [];
    if (taken.has(spec.name)) {
      report(
        [...path, index, 'name'],
        `plugins.${category} has two plugins named ${JSON.stringify(spec.name)}. Remove or rename one of them.`,
      );
    }
    taken.add(spec.name);
    return [spec];
  });
}

function readPlugin(
  value: unknown,
  category: PluginCategory,
  path: ProblemPath,
  dir: string | undefined,
  report: Report,
): PluginSpec | undefined {
  if (!isTable(value)) {
    report(path, `plugins.${category}: a plugin must be a table, not ${describeValue(value)}.`);
    return undefined;
  }
  const shownName =
    typeof value['name'] === 'string' ? JSON.stringify(value['name']) : `${Number(path.at(-1)) + 1}`;
  const table = readTable(value, { path, label: `${category} plugin ${shownName}`, report }, PLUGIN_KEYS);
  const name = readText(table, 'name', 'Add one, e.g. name = "jwt-auth".');
  const flows = readFlows(table);
  const fields = {
    category,
    required: table.flag('required') ?? false,
    timeoutMs: table.milliseconds('timeout') ?? DEFAULT_PLUGIN_TIMEOUT_MS,
    config: table.record('config') ?? {},
  };
  if (name === undefined) return undefined;
  const launch = readLaunch(table, name, dir);
  return launch && flows && { name, flows, launch, ...fields };
}

function readLaunch(table: TableReader, name: string, dir: string | undefined): PluginLaunch | undefined {
  const kind = table.mentions('kind') ? table.choice('kind', PLUGIN_KINDS) : 'exec';
  if (kind === undefined) return undefined;
  for (const [other, keys] of Object.entries(KEYS_BY_KIND)) {
    for (const key of other === kind ? [] : keys.filter((key) => table.mentions(key))) {
      table.report(`${key} conflicts with kind = "${kind}"; it requires kind = "${other}".`, key);
    }
  }
  if (kind === 'exec') return readExecutable(table, name, dir);
  if (kind === 'js') {
    const path = readText(table, 'path', 'Set it to a JavaScript file, e.g. path = "plugins/redact.mjs".');
    return path === undefined ? undefined : { kind, path };
  }
  const url = readText(table, 'url', 'Set it to a URL, e.g. url = "http://127.0.0.1:9000/hook".');
  return url === undefined ? undefined : { kind, url };
}

function readExecutable(table: TableReader, name: string, dir: string | undefined): PluginLaunch | undefined {
  const commitHash = table.text('commit_hash');
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    table.report(
      `name must be the name of a file in the plugin folder, not the path ${JSON.stringify(name)}.`,
      'name',
    );
    return undefined;
  }
  if (dir === undefined) {
    table.report('the plugin folder is not set. Set it, e.g. [plugins] dir = "/etc/mcpd/plugins".', 'name');
    return undefined;
  }
  return { kind: 'exec', dir, commitHash };
}

function readText(table: TableReader, key: string, wayOut: string): string | undefined {
  if (!table.mentions(key)) table.report(`${key} is missing. ${wayOut}`);
  return table.text(key);
}

function readFlows(table: TableReader): readonly PluginFlow[] | undefined {
  const wayOut = 'Set flows to ["request"], ["response"] or both.';
  if (!table.mentions('flows')) {
    table.report(`flows is missing. ${wayOut}`);
    return undefined;
  }
  const words = table.texts('flows');
  if (!words) return undefined;
  const flows = PLUGIN_FLOWS.filter((flow) => words.includes(flow));
  const unknown = words.find((word) => !PLUGIN_FLOWS.some((flow) => flow === word));
  if (unknown !== undefined) {
    table.report(`flows contains the unknown flow ${JSON.stringify(unknown)}. ${wayOut}`, 'flows');
  } else if (flows.length === 0) table.report(`flows is empty. ${wayOut}`, 'flows');
  else if (flows.length < words.length) table.report(`flows contains a flow twice. ${wayOut}`, 'flows');
  else return flows;
  return undefined;
}
