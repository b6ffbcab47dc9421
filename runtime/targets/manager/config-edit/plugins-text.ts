import { parse, stringify } from 'smol-toml';
import { isTable, type TomlTable } from '../config/table-reader.ts';
import { type Statement, tomlStatements } from '../config/toml-statements.ts';
import type { PluginCategory } from '../config/plugin-settings.ts';
import { type Change, editToml, type MutableTable, put, type Rewrite } from './edit-toml.ts';
import {
  pluginEntries,
  findPlugin,
  listPlugins,
  pluginNames,
  pluginIndex,
  type PluginId,
} from './plugins-table.ts';
import { cutBlock, findBlock, insertKey, insertSection, sectionText, tableHeader } from './sections.ts';
import { membersOf } from '#core/json/members-of.ts';

/** A plugin's position within its category. If all fields are undefined, the position is the end. */
export interface PluginPosition {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  /** 1-based; -1 is the end. */
  readonly position?: number | undefined;
}

/**
 * Creates a predicate for the headers of a category's nth plugin, including its subtables. It must see all
 * headers in order.
 */
type HeaderOf = (category: PluginCategory, index: number) => (header: Statement) => boolean;

/** Sets keys of a plugin, adding the plugin if missing. `undefined` removes a key. */
export function putPlugin(text: string, id: PluginId, values: TomlTable): string {
  const { category, name } = id;
  const exists = listPlugins(text).some((entry) => entry.category === category && entry.name === name);
  if (!exists) return addPlugin(text, category, { name, ...values });
  const { config, ...rest } = values;
  const edited = Object.entries(rest).reduce(
    (result, [key, value]) =>
      setKey(result, id, { key, value, tableOf: (entry) => entry, isHeader: isEntry }),
    text,
  );
  return Object.entries(isTable(config) ? config : {}).reduce(
    (result, [key, value]) => setConfigKey(result, id, key, value),
    edited,
  );
}

export function addPlugin(text: string, category: PluginCategory, plugin: TomlTable): string {
  const { config, ...entry } = plugin;
  const path = ['plugins', category];
  const block = [
    sectionText(`[${tableHeader(path)}]`, entry),
    ...(isTable(config) ? [sectionText(tableHeader([...path, 'config']), config)] : []),
  ].join('');
  const append: Change = (table) => {
    const entries = pluginEntries(table, category);
    put(tableBelow(table, 'plugins'), category, [...entries, plugin]);
  };
  return editToml(text, append, { first: [appendBlock(block, category)] });
}

export function removePlugin(text: string, id: PluginId): string {
  const remove: Change = (table) => {
    removeEntry(table, id);
  };
  const removeText: Rewrite = (body) =>
    cutBlock(body, isEntry(id.category, indexIn(body, id)), isInside(id.category));
  return editToml(text, remove, { first: [removeText] });
}

/** Moves a plugin and the comments above it, within its category or to another category. */
export function movePlugin(text: string, id: PluginId, to: PluginCategory, position: PluginPosition): string {
  const move: Change = (table) => {
    const entry = removeEntry(table, id);
    const entries = [...pluginEntries(table, to)];
    entries.splice(indexFor(position, pluginNames(entries), to), 0, entry);
    put(tableBelow(table, 'plugins'), to, entries);
  };
  const moveText: Rewrite = (body) => {
    const found = findBlock(body, isEntry(id.category, indexIn(body, id)), isInside(id.category));
    if (!found) return undefined;
    const block = renamed(body.slice(found.start, found.end), id.category, to);
    const rest = body.slice(0, found.start) + body.slice(found.end);
    const names = pluginNames(pluginEntries(parse(rest), to));
    const next = findBlock(rest, isEntry(to, indexFor(position, names, to)), isInside(to));
    if (!next) return appendBlock(block, to)(rest);
    const gap = /\n\r?\n$/.test(block) ? '' : '\n';
    return rest.slice(0, next.start) + block + gap + rest.slice(next.start);
  };
  return editToml(text, move, { first: [moveText] });
}

/**
 * Adds a plugin after the other plugins in its category. If the category is empty, the plugin is
 * added after all plugins.
 */
const appendBlock =
  (block: string, category: PluginCategory) =>
  (body: string): string => {
    const hasOthers = pluginEntries(parse(body), category).length > 0;
    return insertSection(
      body,
      `${block.trimEnd()}\n`,
      ({ keys }) => keys[0] === 'plugins' && (!hasOthers || keys[1] === category),
    );
  };

/** Changes the category in the headers of a plugin's block. */
function renamed(block: string, from: PluginCategory, to: PluginCategory): string {
  const headers = tomlStatements(block).filter(({ kind }) => kind !== 'key');
  return headers.reduceRight(
    (text, { start, end }) =>
      text.slice(0, start) + text.slice(start, end).replace(from, to) + text.slice(end),
    block,
  );
}

interface KeyEdit {
  readonly key: string;
  readonly value: unknown;
  readonly tableOf: (entry: MutableTable) => MutableTable;
  readonly isHeader: HeaderOf;
}

function setKey(text: string, id: PluginId, { key, value, tableOf, isHeader }: KeyEdit): string {
  const set: Change = (table) => {
    const entries = pluginEntries(table, id.category);
    const own = tableOf(membersOf(entries[pluginIndex(pluginNames(entries), id)]));
    if (value === undefined) delete own[key];
    else put(own, key, value);
  };
  const asLine: Rewrite = (body) =>
    insertKey(body, isHeader(id.category, indexIn(body, id)), lineOf(key, value));
  return editToml(text, set, { first: [asLine] });
}

function setConfigKey(text: string, id: PluginId, key: string, value: unknown): string {
  const hasConfig = isTable(findPlugin(text, id).table['config']);
  return hasConfig
    ? setKey(text, id, { key, value, tableOf: (entry) => tableBelow(entry, 'config'), isHeader: isConfig })
    : setKey(text, id, {
        key: 'config',
        value: { [key]: value },
        tableOf: (entry) => entry,
        isHeader: isEntry,
      });
}

function lineOf(key: string, value: unknown): string {
  if (!isTable(value)) return stringify({ [key]: value });
  const pairs = Object.entries(value).map(([name, inner]) => stringify({ [name]: inner }).trimEnd());
  return `${key} = { ${pairs.join(', ')} }`;
}

const isEntry: HeaderOf = (category, index) => {
  let seen = -1;
  return ({ kind, keys }) =>
    kind === 'array-table' && keys.join('.') === `plugins.${category}` && (seen += 1) === index;
};

const isConfig: HeaderOf = (category, index) => {
  const isNext = isEntry(category, index);
  let isWithin = false;
  return (header) => {
    if (header.kind === 'array-table') isWithin = isNext(header);
    return isWithin && header.keys.join('.') === `plugins.${category}.config`;
  };
};

const isInside =
  (category: PluginCategory) =>
  ({ keys }: Statement): boolean =>
    keys.length > 2 && keys[0] === 'plugins' && keys[1] === category;

const indexIn = (text: string, id: PluginId): number =>
  pluginIndex(pluginNames(pluginEntries(parse(text), id.category)), id);

function removeEntry(table: MutableTable, id: PluginId): unknown {
  const entries = pluginEntries(table, id.category);
  const [entry] = entries.splice(pluginIndex(pluginNames(entries), id), 1);
  const plugins = tableBelow(table, 'plugins');
  if (entries.length === 0) delete plugins[id.category];
  if (Object.keys(plugins).length === 0) delete table['plugins'];
  return entry;
}

function indexFor(
  { before, after, position = -1 }: PluginPosition,
  names: readonly string[],
  category: PluginCategory,
): number {
  if (before !== undefined) return pluginIndex(names, { category, name: before });
  if (after !== undefined) return pluginIndex(names, { category, name: after }) + 1;
  return position < 0 ? names.length : Math.min(position - 1, names.length);
}

function tableBelow(table: MutableTable, key: string): MutableTable {
  const known = table[key];
  if (isTable(known)) return known;
  const below: MutableTable = {};
  table[key] = below;
  return below;
}
