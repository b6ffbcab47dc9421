import { type Clock, systemClock } from '#platform/clock.ts';
import type { ToolCaller } from '../access/caller.ts';
import { matchesUriTemplate } from '../shared/uri-template.ts';
import { type ListAllServers, LIST_KINDS } from './list-all-servers.ts';
import type { McpCall } from './mcp-call.ts';
import type { ListedItem } from './page-cursor.ts';

/**
 * Finds the server that offers a URI in the lists of resources and templates, which are cached briefly or
 * until they change.
 */
export interface ResourceIndex {
  /** Returns the servers that list the resource or, if none does, those with a matching template. */
  owners(call: McpCall, uri: string): Promise<readonly string[]>;
  templateOwners(call: McpCall, template: string): Promise<readonly string[]>;
  forget(): void;
}

/** Maximum age of the cached lists. Servers are not required to announce changes. */
const MAX_AGE_MS = 30_000;

interface Lists {
  readonly listedAt: number;
  readonly resources: readonly ListedItem[];
  readonly templates: readonly ListedItem[];
}

export function createResourceIndex(
  listAllServers: ListAllServers,
  clock: Clock = systemClock,
): ResourceIndex {
  /** Cached lists by caller, because callers can have access to different servers. */
  const known = new Map<string, Lists>();
  const read = async (call: McpCall): Promise<Lists> => {
    const listedAt = clock.now();
    const [resources, templates] = await Promise.all([
      listAllServers(LIST_KINDS.resources, call),
      listAllServers(LIST_KINDS.templates, call),
    ]);
    const lists = { listedAt, resources, templates };
    known.set(keyOf(call.caller), lists);
    return lists;
  };
  /** Searches the cached lists, and requests new ones if they contain no match. */
  const find = async (
    call: McpCall,
    select: (lists: Lists) => readonly string[],
  ): Promise<readonly string[]> => {
    const before = known.get(keyOf(call.caller));
    const found = before && clock.now() - before.listedAt < MAX_AGE_MS ? select(before) : [];
    return found.length > 0 ? found : select(await read(call));
  };
  return {
    owners: (call, uri) =>
      find(call, ({ resources, templates }) => {
        const listed = serversOf(resources.filter(({ key }) => key === uri));
        return listed.length > 0
          ? listed
          : serversOf(templates.filter(({ key }) => matchesUriTemplate(key, uri)));
      }),
    templateOwners: (call, template) =>
      find(call, ({ templates }) => serversOf(templates.filter(({ key }) => key === template))),
    forget: () => known.clear(),
  };
}

const keyOf = ({ name, group = '', user = '' }: ToolCaller): string => JSON.stringify([group, name, user]);

const serversOf = (items: readonly ListedItem[]): string[] => [...new Set(items.map(({ server }) => server))];
