import type { Clock } from '../../../platform/clock.ts';
import type { ServerSpec } from '../config/spec.ts';
import { isTool, type UpstreamTool } from './call.ts';
import type { ListReader, ListSnapshot } from './list-reader.ts';
import { isOffered, isToolOffered } from './offered.ts';
import type { ServerLists } from './server-lists.ts';
import { mappedNames, mayBeMapped } from './tool-name.ts';
import type { Visit } from './visit.ts';

/** Unknown names are looked up in a new list, but not for every call of a client that guesses. */
const LOOK_AGAIN_MS = 1000;

/** What is offered of a server's tools by one specification. */
interface ToolOffer {
  readonly spec: ServerSpec;
  readonly tools: readonly UpstreamTool[];
  readonly byName: ReadonlyMap<string, UpstreamTool>;
  readonly byLowerName: ReadonlyMap<string, UpstreamTool>;
  /** By the names that MCP clients are given in place of those that they do not accept. */
  readonly byClientName: ReadonlyMap<string, UpstreamTool>;
}

type Reader = Pick<ListReader, 'signal' | 'patience'>;

/** Finds the tools of a server by name. */
export interface ToolCatalogue {
  /** In the server's own order. */
  readonly tools: (visit: Visit, reader: Reader) => Promise<readonly UpstreamTool[]>;
  /** By its name in any case; the exact one, if there is one. Also by the name that MCP clients are given. */
  readonly find: (visit: Visit, reader: Reader, name: string) => Promise<UpstreamTool | undefined>;
  /** The same, in a new list. */
  readonly findAgain: (visit: Visit, reader: Reader, name: string) => Promise<UpstreamTool | undefined>;
  /** The list is known to be old. */
  readonly expire: (visit: Visit) => void;
}

export function createToolCatalogue(lists: ServerLists, clock: Clock): ToolCatalogue {
  const offers = new WeakMap<ListSnapshot['items'], ToolOffer>();

  async function offer(
    { server, timeLeft }: Visit,
    { signal, patience }: Reader,
  ): Promise<ToolOffer & { readonly listedAt: number }> {
    const { items, listedAt } = await lists.read(server, 'tools', { timeLeft, signal, patience });
    const spec = server.spec();
    const known = offers.get(items);
    // Items without a name were left out.
    const made = known?.spec === spec ? known : makeOffer(spec, items.filter(isTool));
    offers.set(items, made);
    return { ...made, listedAt };
  }

  const expire = ({ server }: Visit): void => lists.expire(server, 'tools');
  const findAgain: ToolCatalogue['findAgain'] = async (visit, reader, name) => {
    expire(visit);
    return pick(await offer(visit, reader), name.trim());
  };

  return {
    tools: async (visit, reader) => (await offer(visit, reader)).tools,
    findAgain,
    expire,
    async find(visit, reader, name) {
      const wanted = name.trim();
      if (!isOffered(visit.server.spec().tools, wanted) && !mayBeMapped(wanted)) return undefined;
      const first = await offer(visit, reader);
      const found = pick(first, wanted);
      return found || clock.now() - first.listedAt < LOOK_AGAIN_MS ? found : findAgain(visit, reader, wanted);
    },
  };
}

function makeOffer(spec: ServerSpec, all: readonly UpstreamTool[]): ToolOffer {
  const byName = new Map<string, UpstreamTool>();
  const byLowerName = new Map<string, UpstreamTool>();
  for (const tool of all) {
    if (byName.has(tool.name) || !isToolOffered(spec, tool)) continue;
    byName.set(tool.name, tool);
    const lower = tool.name.toLowerCase();
    if (!byLowerName.has(lower)) byLowerName.set(lower, tool);
  }
  const byClientName = new Map<string, UpstreamTool>();
  for (const tool of byName.values()) {
    for (const mapped of mappedNames(spec.name, tool.name)) byClientName.set(mapped, tool);
  }
  return { spec, tools: [...byName.values()], byName, byLowerName, byClientName };
}

const pick = ({ byName, byLowerName, byClientName }: ToolOffer, name: string): UpstreamTool | undefined =>
  byName.get(name) ?? byLowerName.get(name.toLowerCase()) ?? byClientName.get(name);
