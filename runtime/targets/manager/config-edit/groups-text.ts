import { configError } from '#contract/errors.ts';
import type { GroupSpec } from '../config/group-spec.ts';
import { parseMcpMode } from '../config/mcp-mode.ts';
import { serverName } from '../config/server-name.ts';
import { tomlTable } from '../config/parse-toml.ts';
import { isTable, type TomlTable } from '../config/table-reader.ts';
import { type Change, editToml, patch, put, type Rewrite } from './edit-toml.ts';
import { namedIndex } from './named-index.ts';
import { cutListed, findListed, insertSection, isInList, sectionText } from './sections.ts';

/** A group's pattern lists, in the order they are written for new groups. */
const GROUP_LISTS = ['servers', 'tools', 'prompts', 'resources'] as const;

/** Whether a servers file has a group. */
export const hasGroup = (text: string, name: string): boolean =>
  groupTables(tomlTable(text.replace(/^\uFEFF/, ''))).some(
    (group) =>
      isTable(group) && typeof group['name'] === 'string' && serverName(group['name']) === serverName(name),
  );

/** Returns a group as written in a servers file. */
export function readGroup(text: string, name: string): GroupSpec {
  const groups = groupTables(tomlTable(text.replace(/^\uFEFF/, '')));
  const group = groups[groupIndex(groups, name)];
  const listIn = (key: (typeof GROUP_LISTS)[number]): readonly string[] => {
    const list: unknown = isTable(group) ? group[key] : undefined;
    return Array.isArray(list) ? list.map(String) : [];
  };
  const written: unknown = isTable(group) ? group['mcp_mode'] : undefined;
  const mcpMode = typeof written === 'string' ? parseMcpMode(written) : undefined;
  return {
    name: isTable(group) ? String(group['name']) : name,
    servers: listIn('servers'),
    tools: listIn('tools'),
    prompts: listIn('prompts'),
    resources: listIn('resources'),
    ...(mcpMode === undefined ? {} : { mcpMode }),
  };
}

/** Appends a group to a servers file. */
export function addGroup(text: string, group: GroupSpec): string {
  const table = tableOf(group);
  const append: Change = (file) => {
    file['groups'] = [...groupTables(file), table];
  };
  const block = sectionText('[[groups]]', table);
  return editToml(text, append, { first: [(body) => insertSection(body, block, isInList('groups'))] });
}

/** Replaces a group's name, patterns and mode. Comments and key order are kept. */
export function replaceGroup(text: string, name: string, group: GroupSpec): string {
  const table = tableOf(group);
  const assign: Change = (current) => {
    for (const key of [...GROUP_LISTS, 'mcp_mode']) if (!(key in table)) delete current[key];
    for (const [key, value] of Object.entries(table)) {
      if (JSON.stringify(current[key]) !== JSON.stringify(value)) put(current, key, value);
    }
  };
  const inFile: Change = (file) => {
    const groups = groupTables(file);
    const current = groups[groupIndex(groups, name)];
    if (isTable(current)) assign(current);
  };
  /** Only parses and writes the group's own text, because files can be long. */
  const inBlock: Rewrite = (body, parsed) => {
    const found = findListed(body, 'groups', groupIndex(groupTables(parsed), name));
    if (!found) return undefined;
    const block = body.slice(found.start, found.end);
    const edited = patch(block, (file) => {
      const [current] = groupTables(file);
      if (isTable(current)) assign(current);
    });
    return body.slice(0, found.start) + edited + body.slice(found.end);
  };
  return editToml(text, inFile, { first: [inBlock] });
}

/** Removes a group with the comments above it. */
export function removeGroup(text: string, name: string): string {
  const remove: Change = (file) => {
    const groups = groupTables(file);
    groups.splice(groupIndex(groups, name), 1);
    if (groups.length === 0) delete file['groups'];
  };
  const cut: Rewrite = (body, parsed) => cutListed(body, 'groups', groupIndex(groupTables(parsed), name));
  return editToml(text, remove, { first: [cut] });
}

/** A group's keys. Empty pattern lists are omitted. */
const tableOf = (group: GroupSpec): Readonly<Record<string, string | readonly string[]>> => ({
  name: group.name,
  ...Object.fromEntries(
    GROUP_LISTS.filter((key) => group[key].length > 0).map((key) => [key, [...group[key]]]),
  ),
  ...(group.mcpMode === undefined ? {} : { mcp_mode: group.mcpMode }),
});

const groupIndex = (groups: readonly unknown[], name: string): number => namedIndex('group', groups, name);

/** Returns the groups in a file. If the table is mutable, so are the returned groups. */
function groupTables(file: TomlTable): unknown[] {
  const groups = file['groups'] ?? [];
  if (Array.isArray(groups)) return groups;
  throw configError('groups must be a list. Start each group with [[groups]], in double brackets.');
}
