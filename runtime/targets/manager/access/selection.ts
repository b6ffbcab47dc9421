import type { ToolCaller } from './caller.ts';
import { keyCaller } from './key-caller.ts';

/** The servers and tools that a client selects among the servers and tools that it is allowed to use. */
export interface Selection {
  /** Server names or patterns. */
  readonly servers: readonly string[];
  /** `server/tool` patterns. On a server mentioned here, only matching tools are used. */
  readonly tools: readonly string[];
}

/** Parses `?servers=a,b&tools=c/d*`; undefined if nothing is selected. */
export function selectionIn(url: string): Selection | undefined {
  const start = url.indexOf('?');
  if (start === -1) return undefined;
  const query = new URLSearchParams(url.slice(start));
  const listOf = (name: string): string[] => query.getAll(name).flatMap(splitList);
  const selection = { servers: listOf('servers'), tools: listOf('tools') };
  return isEmpty(selection) ? undefined : selection;
}

/** Formats a selection as a query string with `?`; empty if nothing is selected. */
export function selectionQuery({ servers, tools }: Selection): string {
  const entries = Object.entries({ servers, tools }).filter(([, patterns]) => patterns.length > 0);
  const query = entries.map(([name, patterns]) => `${name}=${patterns.map(encodePattern).join(',')}`);
  return query.length === 0 ? '' : `?${query.join('&')}`;
}

/** Returns the path of the MCP endpoint for a selection, within a group if one is given. */
export const mcpPath = (selection: Selection, group: string | undefined): string =>
  `${groupPath(group)}/mcp${selectionQuery(selection)}`;

/** Returns the path prefix of a group's endpoints; empty without a group. */
export const groupPath = (group: string | undefined): string =>
  group === undefined ? '' : `/groups/${encodeURIComponent(group)}`;

/** Restricts a caller to a selection. A selection never adds permissions. */
export function selectFor(caller: ToolCaller, selection: Selection | undefined): ToolCaller {
  if (!selection || isEmpty(selection)) return caller;
  const tools = [...selection.tools];
  const servers = selection.servers.length === 0 ? [] : [...selection.servers, ...tools.map(serverOfPattern)];
  const chosen = keyCaller({ name: caller.name, admin: false, readOnly: false, servers, tools });
  return {
    ...caller,
    canUse: (server, tool) => caller.canUse(server, tool) && chosen.canUse(server, tool),
    canRead: (server, kind, item) => caller.canRead(server, kind, item) && chosen.canRead(server, kind, item),
  };
}

export const serverOfPattern = (pattern: string): string => pattern.split('/', 1)[0] ?? '';

const isEmpty = ({ servers, tools }: Selection): boolean => servers.length + tools.length === 0;

const splitList = (text: string): string[] =>
  text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));

/** Leaves slashes and stars unescaped: they are valid in a query and easier to read. */
const encodePattern = (text: string): string =>
  encodeURIComponent(text).replaceAll('%2F', '/').replaceAll('%2A', '*');
