import { parse } from 'smol-toml';
import { configError } from '#contract/errors.ts';
import { suggest } from '#core/text/suggest.ts';
import { isTable, type TomlTable } from '../config/table-reader.ts';
import { PLUGIN_CATEGORIES, type PluginCategory } from '../config/plugin-settings.ts';
import { itemAt } from '#core/values/item-at.ts';

/** A plugin as described in the file. */
export interface PluginEntry {
  readonly category: PluginCategory;
  readonly name: string;
  readonly table: TomlTable;
}

/** Identifies a plugin. */
export type PluginId = Pick<PluginEntry, 'category' | 'name'>;

/** Returns the plugins in execution order. */
export function listPlugins(text: string): readonly PluginEntry[] {
  const table = tableOf(text);
  return PLUGIN_CATEGORIES.flatMap((category) =>
    pluginEntries(table, category).map((entry) => ({
      category,
      name: nameOf(entry),
      table: isTable(entry) ? entry : {},
    })),
  );
}

export function findPlugin(text: string, id: PluginId): PluginEntry {
  const entries = listPlugins(text).filter(({ category }) => category === id.category);
  const names = entries.map(({ name }) => name);
  return itemAt(entries, pluginIndex(names, id));
}

/** Returns the raw value of `[plugins]`, without validation. */
export const pluginsTable = (text: string): unknown => tableOf(text)['plugins'];

export function pluginFolder(text: string): unknown {
  const table = pluginsTable(text);
  return isTable(table) ? table['dir'] : undefined;
}

/** Returns a category's plugins in file order. */
export function pluginEntries(table: TomlTable, category: PluginCategory): unknown[] {
  const { plugins } = table;
  const entries = isTable(plugins) ? plugins[category] : undefined;
  return Array.isArray(entries) ? entries : [];
}

export const pluginNames = (entries: readonly unknown[]): readonly string[] =>
  entries.map((entry) => nameOf(entry));

/** Returns a plugin's index within its category. Throws if the category does not contain the plugin. */
export function pluginIndex(names: readonly string[], { category, name }: PluginId): number {
  const index = names.indexOf(name);
  if (index >= 0) return index;
  const suggestion = suggest(name, names);
  const known = names.length === 0 ? 'It is empty.' : `It contains ${names.join(', ')}.`;
  const wayOut = suggestion === undefined ? known : `Did you mean ${JSON.stringify(suggestion)}?`;
  throw configError(`plugins.${category} contains no plugin ${JSON.stringify(name)}. ${wayOut}`);
}

const tableOf = (text: string): TomlTable => parse(text.replace(/^\uFEFF/, ''));

const nameOf = (entry: unknown): string => (isTable(entry) ? String(entry['name']) : '');
