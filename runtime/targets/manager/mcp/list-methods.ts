import type { ManagerContext } from '../context.ts';
import { qualify } from '../calls/qualified-name.ts';
import { qualifiedToolName, toolName } from '../calls/tool-name.ts';
import type { Params } from '../shapes/shape.ts';
import { type ListAllServers, LIST_KINDS, type ListKind } from './list-all-servers.ts';
import { type McpCall, type Method, optionalText, serverCall } from './mcp-call.ts';
import { cutPage, type ListedItem, readCursor } from './page-cursor.ts';
import { ownUri } from './resource-uri.ts';

/** Size of a page. It is large, because many clients only read the first page. */
const PAGE_SIZE = 1000;

type NamedMethods = readonly (readonly [string, Method])[];

/** The list methods for one server, with its own pages. */
export const listMethodsOfOne = ({ calls }: ManagerContext, server: string): NamedMethods =>
  Object.values(LIST_KINDS).map((kind: ListKind) => [
    kind.method,
    async (call) => {
      const cursor = optionalText(call.params, 'cursor');
      const { items, nextCursor } = await kind.page(calls, { ...serverCall(call, server), cursor });
      return page(kind, kind === LIST_KINDS.tools ? items.map(underToolName) : items, nextCursor);
    },
  ]);

const underToolName = (tool: Params): Params => {
  const name = toolName(String(tool['name']));
  return name === tool['name'] ? tool : { ...tool, name };
};

/** The list methods over all servers. The manager divides the combined list into pages. */
export function listMethodsOfAll(listAllServers: ListAllServers, pageSize = PAGE_SIZE): NamedMethods {
  const listed =
    (kind: ListKind, rename: (items: readonly ListedItem[]) => (item: ListedItem) => Params): Method =>
    async (call: McpCall) => {
      const after = readCursor(optionalText(call.params, 'cursor'));
      const all = await listAllServers(kind, call);
      const { items, nextCursor } = cutPage(all, after, pageSize);
      return page(kind, items.map(rename(all)), nextCursor);
    };
  const named = (kind: ListKind, nameOf: (server: string, name: string) => string): Method =>
    listed(kind, () => ({ server, key, item }) => ({ ...item, name: nameOf(server, key) }));
  const located = (kind: ListKind): Method =>
    listed(kind, (all) => {
      const shared = sharedKeys(all);
      return ({ server, key, item }) =>
        shared.has(key) ? { ...item, [kind.key]: ownUri({ server, uri: key }) } : item;
    });
  const { tools, prompts, resources, templates } = LIST_KINDS;
  return [
    [tools.method, named(tools, qualifiedToolName)],
    [prompts.method, named(prompts, qualify)],
    [resources.method, located(resources)],
    [templates.method, located(templates)],
  ];
}

const page = (kind: ListKind, items: readonly Params[], nextCursor: string | undefined): Params => ({
  [kind.list]: items,
  ...(nextCursor === undefined ? {} : { nextCursor }),
});

/** Returns the keys that several servers use. */
function sharedKeys(items: readonly ListedItem[]): ReadonlySet<string> {
  const owner = new Map<string, string>();
  const shared = new Set<string>();
  for (const { server, key } of items) {
    const other = owner.get(key);
    if (other !== undefined && other !== server) shared.add(key);
    owner.set(key, server);
  }
  return shared;
}
