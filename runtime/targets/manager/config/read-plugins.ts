import type { Path, Report } from './problems.ts';
import { isTable, nameValue, readTable, type TableReader } from './table-reader.ts';
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

const KEYS_OF_ALL = ['name', 'kind', 'required', 'flows', 'timeout', 'config'];
const KEYS_BY_KIND = { exec: ['commit_hash'], http: ['url'], js: ['path'] } as const;
const PLUGIN_KEYS = [...KEYS_OF_ALL, ...Object.values(KEYS_BY_KIND).flat()];

/** Reads `[plugins]` of the configuration: what is wrong with it is reported, and what is right is returned. */
export function readPluginSettings(table: unknown, report: Report): PluginSettings {
  if (table === undefined) return { plugins: [] };
  if (!isTable(table)) {
    report(['plugins'], `plugins must be a table, not ${nameValue(table)}.`);
    return { plugins: [] };
  }
  const place = { path: ['plugins'], label: 'plugins', report };
  const section = readTable(table, place, ['dir', ...PLUGIN_CATEGORIES]);
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
    report(path, `plugins.${category} must be a list: begin each plugin with [[plugins.${category}]].`);
    return [];
  }
  const taken = new Set<string>();
  return value.flatMap((item: unknown, index) => {
    const spec = readPlugin(item, category, [...path, index], dir, report);
    if (!spec) return [];
    if (taken.has(spec.name)) {
      report(
        [...path, index, 'name'],
        `plugins.${category} has two plugins named ${JSON.stringify(spec.name)}. Remove one, or rename it.`,
      );
    }
    taken.add(spec.name);
    return [spec];
  });
}

function readPlugin(
  value: unknown,
  category: PluginCategory,
  path: Path,
  dir: string | undefined,
  report: Report,
): PluginSpec | undefined {
  if (!isTable(value)) {
    report(path, `plugins.${category}: a plugin must be a table, not ${nameValue(value)}.`);
    return undefined;
  }
  const called =
    typeof value['name'] === 'string' ? JSON.stringify(value['name']) : `${Number(path.at(-1)) + 1}`;
  const table = readTable(value, { path, label: `${category} plugin ${called}`, report }, PLUGIN_KEYS);
  const name = readText(table, 'name', 'Name the plugin, as in name = "jwt-auth".');
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
      table.report(`${key} does not go with kind = "${kind}"; it is for kind = "${other}".`, key);
    }
  }
  if (kind === 'exec') return readExecutable(table, name, dir);
  if (kind === 'js') {
    const path = readText(table, 'path', 'Name the JavaScript file, as in path = "plugins/redact.mjs".');
    return path === undefined ? undefined : { kind, path };
  }
  const url = readText(table, 'url', 'Name the server to ask, as in url = "http://127.0.0.1:9000/hook".');
  return url === undefined ? undefined : { kind, url };
}

function readExecutable(table: TableReader, name: string, dir: string | undefined): PluginLaunch | undefined {
  const commitHash = table.text('commit_hash');
  if (/[/\\]/.test(name) || name === '.' || name === '..') {
    table.report(
      `name must be that of a file in the plugins' folder, not the path ${JSON.stringify(name)}.`,
      'name',
    );
    return undefined;
  }
  if (dir === undefined) {
    table.report('its folder is not known. Set it, as in [plugins] dir = "/etc/mcpd/plugins".', 'name');
    return undefined;
  }
  return { kind: 'exec', dir, commitHash };
}

function readText(table: TableReader, key: string, wayOut: string): string | undefined {
  if (!table.mentions(key)) table.report(`${key} is missing. ${wayOut}`);
  return table.text(key);
}

function readFlows(table: TableReader): readonly PluginFlow[] | undefined {
  const wayOut = 'Write flows = ["request"], ["response"] or both.';
  if (!table.mentions('flows')) {
    table.report(`flows is missing. ${wayOut}`);
    return undefined;
  }
  const words = table.texts('flows');
  if (!words) return undefined;
  const flows = PLUGIN_FLOWS.filter((flow) => words.includes(flow));
  const unknown = words.find((word) => !PLUGIN_FLOWS.some((flow) => flow === word));
  if (unknown !== undefined) {
    table.report(`flows has ${JSON.stringify(unknown)}, which is no flow. ${wayOut}`, 'flows');
  } else if (flows.length === 0) table.report(`flows is empty. ${wayOut}`, 'flows');
  else if (flows.length < words.length) table.report(`flows names a flow twice. ${wayOut}`, 'flows');
  else return flows;
  return undefined;
}
