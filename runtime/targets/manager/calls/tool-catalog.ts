import type { Clock } from '#platform/clock.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { PinAction } from '../config/tool-policy.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { isTool } from './call.ts';
import type { ListReader, ListSnapshot } from './list-reader.ts';
import { isAllowed } from './permissions.ts';
import type { CatalogTool } from './catalog-tool.ts';
import { isNewName, selectTools, type SelectedTools } from './select-tools.ts';
import type { ServerLists } from './server-lists.ts';
import { mappedNames, looksMapped } from './tool-name.ts';
import type { CallContext } from './call-context.ts';

/** Minimum age of a list before an unknown name causes a new request, so that guessed names do not cause one each. */
const MIN_RELIST_AGE_MS = 1000;

/** The tools of a server that its configuration allows. */
interface AllowedTools {
  readonly spec: ServerSpec;
  readonly selected: SelectedTools;
  /** The tools that lists contain. */
  readonly listed: readonly CatalogTool[];
  readonly byName: ReadonlyMap<string, CatalogTool>;
  readonly byLowerName: ReadonlyMap<string, CatalogTool>;
  /** Tools by their mapped names, which replace names that MCP clients do not accept. */
  readonly byClientName: ReadonlyMap<string, CatalogTool>;
  /** Renamed tools by the names on their server, in lower case. */
  readonly byOldName: ReadonlyMap<string, CatalogTool>;
}

type Context = Pick<CallContext, 'server' | 'timeLeft'>;
type Reader = Pick<ListReader, 'signal' | 'waitLimits'>;

/** The allowed tools of each server, by name. */
export interface ToolCatalog {
  /** Returns the tools for lists, in the order of the server. */
  readonly tools: (context: Context, reader: Reader) => Promise<readonly CatalogTool[]>;
  /** Returns them if they are in memory and current. */
  readonly current: (server: ManagedServer) => readonly CatalogTool[] | undefined;
  /** Finds a tool by its exact name, by its name in another case, by its mapped name, or by the name before a renaming. */
  readonly find: (context: Context, reader: Reader, name: string) => Promise<CatalogTool | undefined>;
  /** Same as `find`, in a new list. */
  readonly findAgain: (context: Context, reader: Reader, name: string) => Promise<CatalogTool | undefined>;
  /** Whether the server lists a tool with this name, also if the configuration does not allow it. The list can be in memory. */
  readonly isListed: (context: Context, reader: Reader, name: string) => Promise<boolean>;
  /** Makes the next use request the list again. */
  readonly expire: (context: Context) => void;
}

export function createToolCatalog(lists: ServerLists, clock: Clock): ToolCatalog {
  const allowedTools = new WeakMap<ListSnapshot['items'], AllowedTools>();
  /** The latest tools of each server, whose findings were reported. */
  const latest = new WeakMap<ManagedServer, AllowedTools>();

  async function readAllowed(
    { server, timeLeft }: Context,
    { signal, waitLimits }: Reader,
  ): Promise<AllowedTools & { readonly listedAt: number }> {
    const { items, listedAt } = await lists.read(server, 'tools', { timeLeft, signal, waitLimits });
    const spec = server.spec();
    const known = allowedTools.get(items);
    // The filter only narrows the type: items without a name were removed when the list was checked.
    if (known?.spec === spec && latest.get(server) === known) return { ...known, listedAt };
    const current = known?.spec === spec ? known : indexTools(spec, selectTools(spec, items.filter(isTool)));
    allowedTools.set(items, current);
    latest.set(server, current);
    server.toolFindings.report(current.selected, CONSEQUENCES[spec.pins?.onChange ?? 'warn']);
    return { ...current, listedAt };
  }

  const expire = ({ server }: Context): void => lists.expire(server, 'tools');
  const findAgain: ToolCatalog['findAgain'] = async (context, reader, name) => {
    expire(context);
    return pick(await readAllowed(context, reader), name.trim());
  };

  return {
    tools: async (context, reader) => (await readAllowed(context, reader)).listed,
    current(server) {
      const snapshot = lists.current(server, 'tools', undefined);
      const known = snapshot && allowedTools.get(snapshot.items);
      return known?.spec === server.spec() && latest.get(server) === known ? known.listed : undefined;
    },
    findAgain,
    async isListed({ server, timeLeft }, { signal, waitLimits }, name) {
      const { items } = await lists.read(server, 'tools', { timeLeft, signal, waitLimits });
      const lower = name.trim().toLowerCase();
      return items.some((item) => String(item['name']).toLowerCase() === lower);
    },
    expire,
    async find(context, reader, name) {
      const wanted = name.trim();
      const spec = context.server.spec();
      if (!isAllowed(spec.tools, wanted) && !looksMapped(wanted) && !isNewName(spec, wanted))
        return undefined;
      const first = await readAllowed(context, reader);
      const found = pick(first, wanted);
      const isRecent = clock.now() - first.listedAt < MIN_RELIST_AGE_MS;
      return found || isRecent ? found : findAgain(context, reader, wanted);
    },
  };
}

/** What happens with changed tools, for the log. */
const CONSEQUENCES: Readonly<Record<PinAction, string>> = {
  warn: 'it can be called',
  block: 'it is blocked',
};

function indexTools(spec: ServerSpec, selected: SelectedTools): AllowedTools {
  const { tools } = selected;
  const byName = new Map(tools.map((tool) => [tool.shown.name, tool]));
  // The first of several tools wins, as in the list of the server.
  const byLowerName = new Map(tools.toReversed().map((tool) => [tool.shown.name.toLowerCase(), tool]));
  const byClientName = new Map(
    tools.flatMap((tool) => mappedNames(spec.name, tool.shown.name).map((mapped) => [mapped, tool] as const)),
  );
  const byOldName = new Map(
    tools.filter(({ own, shown }) => own !== shown.name).map((tool) => [tool.own.toLowerCase(), tool]),
  );
  const listed = tools.filter(({ hidden, blocked }) => !hidden && !blocked);
  return { spec, selected, listed, byName, byLowerName, byClientName, byOldName };
}

function pick(
  { byName, byLowerName, byClientName, byOldName }: AllowedTools,
  name: string,
): CatalogTool | undefined {
  const lower = name.toLowerCase();
  return byName.get(name) ?? byLowerName.get(lower) ?? byClientName.get(name) ?? byOldName.get(lower);
}
