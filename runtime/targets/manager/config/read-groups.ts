import { matchesAny } from '#core/text/name-pattern.ts';
import type { GroupSpec } from './group-spec.ts';
import type { Report } from './problems.ts';
import { nameProblem, serverName } from './server-name.ts';
import { describeValue, isTable, readTable, type TableReader } from './table-reader.ts';

const KEYS = ['name', 'servers', 'tools', 'prompts', 'resources'];

/** Reads `[[groups]]`. Reports problems, among them groups that mention no configured server. */
export function readGroups(value: unknown, serverNames: readonly string[], report: Report): GroupSpec[] {
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
    // Without patterns a key has all permissions; a group without any is a mistake.
    table.report('the group is empty. List its servers, e.g. servers = ["time"], or its tools.');
  }
  return { name: serverName(written), ...group };
}

/** Reads patterns. One for an unknown server is a mistake, because the group would silently lack its tools. */
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
      table.report(`${key} must have patterns of the form server/name, not ${JSON.stringify(pattern)}.`, key);
    } else if (!serverNames.some((name) => matchesAny([server], name))) {
      table.report(
        `${key}: no server matches ${JSON.stringify(server)}. Known servers: ${serverNames.join(', ') || 'none'}.`,
        key,
      );
    }
  }
  return patterns;
}
