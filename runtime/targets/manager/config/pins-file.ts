import { explainJson } from '#core/json/explain-json.ts';
import { parseLossless } from '#core/json/lossless-json.ts';
import type { TextFile } from './parse-toml.ts';
import type { Problem, Report } from './problems.ts';
import { isTable, readTable, type TableReader } from './table-reader.ts';
import { definitionHash, type ItemDefinition, itemDefinition, type PinScope } from './item-definition.ts';
import { LIST_ITEMS, LIST_NAMES, type ListName } from '../shared/list-items.ts';

/** An item as it was when pinned. */
interface PinnedItem {
  readonly hash: string;
  readonly definition: ItemDefinition;
}

/** Pinned items by name (for resources: by URI). */
export type PinnedItems = Readonly<Record<string, PinnedItem>>;

/** The pinned items of a server. */
export interface PinnedServer {
  readonly scope: PinScope;
  readonly lists: Readonly<Partial<Record<ListName, PinnedItems>>>;
}

/** Pinned items by server. */
export interface PinsFile {
  readonly servers: ReadonlyMap<string, PinnedServer>;
  readonly problems: readonly PinsProblem[];
}

/** A problem with the file, or with one server's pins. */
interface PinsProblem extends Problem {
  readonly server?: string | undefined;
}

const FORMAT = 2;
/** The format of earlier versions, which pinned only some members of tools. Pins in this format remain valid. */
const BASIC_FORMAT = 1;

/** Returns the path of the pins file: `.mcpd.pins.json` next to `.mcpd.toml`. */
export const pinsPath = (config: string): string => `${config.replace(/\.(?:toml|json)$/i, '')}.pins.json`;

/** Reads the pins. A missing file contains none. */
export function readPinsFile(file: TextFile | undefined): PinsFile {
  const problems: PinsProblem[] = [];
  const report: Report = ([, server], message) => {
    const of = server === undefined ? undefined : String(server);
    problems.push({ file: file?.path ?? '', line: undefined, message, server: of });
  };
  const servers = file ? readServers(file.text, report) : new Map<string, PinnedServer>();
  return { servers, problems };
}

function readServers(text: string, report: Report): Map<string, PinnedServer> {
  const servers = new Map<string, PinnedServer>();
  let value: unknown;
  try {
    value = parseLossless(text);
  } catch (error) {
    report([], `invalid JSON: ${explainJson(text, error)}`);
    return servers;
  }
  const file = readTable(isTable(value) ? value : {}, { path: [], label: '', report });
  const version = file.any('version');
  if (version !== FORMAT && version !== BASIC_FORMAT) {
    report([], `the pins must have version ${FORMAT}. Create the file with \`mcp-manager pin\`.`);
    return servers;
  }
  const tables = file.table('servers');
  for (const server of tables?.keys() ?? []) {
    const table = tables?.table(server);
    if (!table) continue;
    servers.set(server, version === FORMAT ? readServer(server, table) : readBasic(server, table));
  }
  return servers;
}

function readServer(server: string, table: TableReader): PinnedServer {
  const scope: PinScope = table.any('version') === BASIC_FORMAT ? 'basic' : 'complete';
  const lists = LIST_NAMES.flatMap((list): [ListName, PinnedItems][] => {
    const items = table.table(list);
    return items
      ? [[list, readItems({ server, list, scope }, items, (item) => item.table('definition'))]]
      : [];
  });
  return { scope, lists: Object.fromEntries(lists) };
}

/** Reads the pins of an earlier version: tools, whose members are next to the hash. */
const readBasic = (server: string, tools: TableReader): PinnedServer => ({
  scope: 'basic',
  lists: { tools: readItems({ server, list: 'tools', scope: 'basic' }, tools, (item) => item) },
});

interface PinnedList {
  readonly server: string;
  readonly list: ListName;
  readonly scope: PinScope;
}

function readItems(
  { server, list, scope }: PinnedList,
  items: TableReader,
  definitionIn: (item: TableReader) => TableReader | undefined,
): PinnedItems {
  const pinned = items.keys().flatMap((name): [string, PinnedItem][] => {
    const item = items.table(name);
    const members = item && definitionIn(item);
    if (!members) return [];
    const values = Object.fromEntries(members.keys().map((key) => [key, members.any(key)]));
    const definition = itemDefinition(list, { ...values, ...joined(values) }, scope);
    const hash = item.text('hash');
    if (hash === definitionHash(list, name, definition)) return [[name, { hash, definition }]];
    item.report(
      `the hash does not match the definition, so the file was edited. Run \`mcp-manager pin ${server}\` to pin the current ${LIST_ITEMS[list].kind}s.`,
    );
    return [];
  });
  return Object.fromEntries(pinned);
}

/**
 * Formats pins for readable diffs: fields are sorted and on separate lines, and descriptions are
 * split into lines.
 */
export function pinsText(servers: ReadonlyMap<string, PinnedServer>): string {
  const sorted = <Value>(entries: Iterable<[string, Value]>): [string, Value][] =>
    [...entries].toSorted(([a], [b]) => (a < b ? -1 : 1));
  const itemsText = (items: PinnedItems): object =>
    Object.fromEntries(
      sorted(Object.entries(items)).map(([name, { hash, definition }]) => [
        name,
        { hash, definition: { ...definition, ...linesOf(definition) } },
      ]),
    );
  const tables = sorted(servers).map(([server, { scope, lists }]) => [
    server,
    {
      ...(scope === 'basic' && { version: BASIC_FORMAT }),
      ...Object.fromEntries(
        LIST_NAMES.flatMap((list) => {
          const items = lists[list];
          return items ? [[list, itemsText(items)]] : [];
        }),
      ),
    },
  ]);
  return `${JSON.stringify({ version: FORMAT, servers: Object.fromEntries(tables) }, undefined, 2)}\n`;
}

const linesOf = ({ description }: ItemDefinition): { description?: string[] } =>
  typeof description === 'string' && description.includes('\n')
    ? { description: description.split('\n') }
    : {};

const joined = ({ description }: ItemDefinition): { description?: string } =>
  Array.isArray(description) ? { description: description.join('\n') } : {};
