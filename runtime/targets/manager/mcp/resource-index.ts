import { type Clock, systemClock } from '../../../platform/clock.ts';
import { matchesUriTemplate } from '../shared/uri-template.ts';
import { type Gather, LIST_KINDS } from './gather.ts';
import type { McpCall } from './mcp-call.ts';
import type { ListedItem } from './page-cursor.ts';

/** Knows which server a URI belongs to: from the lists of resources and templates, kept for a short time or until one of them changes. */
export interface ResourceIndex {
  /** The servers that list this resource; if none does, those with a template it can be made from. */
  owners(call: McpCall, uri: string): Promise<readonly string[]>;
  templateOwners(call: McpCall, template: string): Promise<readonly string[]>;
  forget(): void;
}

/** Servers need not announce changes. */
const MAX_AGE_MS = 30_000;

interface Lists {
  readonly listedAt: number;
  readonly resources: readonly ListedItem[];
  readonly templates: readonly ListedItem[];
}

export function createResourceIndex(gather: Gather, clock: Clock = systemClock): ResourceIndex {
  /** By caller, for each may use other servers. */
  const known = new Map<string, Lists>();
  const read = async (call: McpCall): Promise<Lists> => {
    const listedAt = clock.now();
    const [resources, templates] = await Promise.all([
      gather(LIST_KINDS.resources, call),
      gather(LIST_KINDS.templates, call),
    ]);
    const lists = { listedAt, resources, templates };
    known.set(call.caller.name, lists);
    return lists;
  };
  /** What is not in the lists we have may be in new ones. */
  const find = async (
    call: McpCall,
    look: (lists: Lists) => readonly string[],
  ): Promise<readonly string[]> => {
    const before = known.get(call.caller.name);
    const found = before && clock.now() - before.listedAt < MAX_AGE_MS ? look(before) : [];
    return found.length > 0 ? found : look(await read(call));
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

const serversOf = (items: readonly ListedItem[]): string[] => [...new Set(items.map(({ server }) => server))];
