import type { Clock } from '../../../platform/clock.ts';
import type { ServerSpec } from '../config/spec.ts';
import { isTool, type UpstreamTool } from './call.ts';
import type { ListReader, ListSnapshot } from './list-reader.ts';
import { isAllowed, isToolAllowed } from './permissions.ts';
import type { ServerLists } from './server-lists.ts';
import { mappedNames, looksMapped } from './tool-name.ts';
import type { CallContext } from './call-context.ts';

/** Minimum age of a list before an unknown name causes a new request, so that guessed names do not cause one each. */
const MIN_RELIST_AGE_MS = 1000;

/** The tools of a server that its configuration allows. */
interface AllowedTools {
  readonly spec: ServerSpec;
  readonly tools: readonly UpstreamTool[];
  readonly byName: ReadonlyMap<string, UpstreamTool>;
  readonly byLowerName: ReadonlyMap<string, UpstreamTool>;
  /** Tools by their mapped names, which replace names that MCP clients do not accept. */
  readonly byClientName: ReadonlyMap<string, UpstreamTool>;
}

type Reader = Pick<ListReader, 'signal' | 'waitLimits'>;

/** The allowed tools of each server, by name. */
export interface ToolCatalog {
  /** Returns the tools in the order of the server. */
  readonly tools: (context: CallContext, reader: Reader) => Promise<readonly UpstreamTool[]>;
  /** Finds a tool by its exact name, by its name in another case, or by its mapped name. */
  readonly find: (context: CallContext, reader: Reader, name: string) => Promise<UpstreamTool | undefined>;
  /** Same as `find`, in a new list. */
  readonly findAgain: (
    context: CallContext,
    reader: Reader,
    name: string,
  ) => Promise<UpstreamTool | undefined>;
  /** Makes the next use request the list again. */
  readonly expire: (context: CallContext) => void;
}

export function createToolCatalog(lists: ServerLists, clock: Clock): ToolCatalog {
  const allowedTools = new WeakMap<ListSnapshot['items'], AllowedTools>();

  async function readAllowed(
    { server, timeLeft }: CallContext,
    { signal, waitLimits }: Reader,
  ): Promise<AllowedTools & { readonly listedAt: number }> {
    const { items, listedAt } = await lists.read(server, 'tools', { timeLeft, signal, waitLimits });
    const spec = server.spec();
    const known = allowedTools.get(items);
    // The filter only narrows the type: items without a name were removed when the list was checked.
    const current = known?.spec === spec ? known : selectAllowed(spec, items.filter(isTool));
    allowedTools.set(items, current);
    return { ...current, listedAt };
  }

  const expire = ({ server }: CallContext): void => lists.expire(server, 'tools');
  const findAgain: ToolCatalog['findAgain'] = async (context, reader, name) => {
    expire(context);
    return pick(await readAllowed(context, reader), name.trim());
  };

  return {
    tools: async (context, reader) => (await readAllowed(context, reader)).tools,
    findAgain,
    expire,
    async find(context, reader, name) {
      const wanted = name.trim();
      if (!isAllowed(context.server.spec().tools, wanted) && !looksMapped(wanted)) return undefined;
      const first = await readAllowed(context, reader);
      const found = pick(first, wanted);
      const isRecent = clock.now() - first.listedAt < MIN_RELIST_AGE_MS;
      return found || isRecent ? found : findAgain(context, reader, wanted);
    },
  };
}

function selectAllowed(spec: ServerSpec, all: readonly UpstreamTool[]): AllowedTools {
  const byName = new Map<string, UpstreamTool>();
  const byLowerName = new Map<string, UpstreamTool>();
  for (const tool of all) {
    if (byName.has(tool.name) || !isToolAllowed(spec, tool)) continue;
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

const pick = ({ byName, byLowerName, byClientName }: AllowedTools, name: string): UpstreamTool | undefined =>
  byName.get(name) ?? byLowerName.get(name.toLowerCase()) ?? byClientName.get(name);
