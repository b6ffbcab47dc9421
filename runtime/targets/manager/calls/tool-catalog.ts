import type { Clock } from '#platform/clock.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { PinAction, ToolOverride, ToolPins } from '../config/tool-policy.ts';
import type { ManagedServer, ToolChange } from '../supervisor/managed-server.ts';
import { isTool, type UpstreamTool } from './call.ts';
import type { ListReader, ListSnapshot } from './list-reader.ts';
import { isAllowed, isToolAllowed } from './permissions.ts';
import type { CatalogTool } from './catalog-tool.ts';
import type { ServerLists } from './server-lists.ts';
import { mappedNames, looksMapped } from './tool-name.ts';
import type { CallContext } from './call-context.ts';
import { suggest } from '#core/text/suggest.ts';
import { definitionHash, toolDefinition } from '../config/tool-definition.ts';
import { membersOf } from '#core/json/members-of.ts';

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

interface SelectedTools {
  /** In the order of the server; their shown names are unique. */
  readonly tools: readonly CatalogTool[];
  readonly changes: readonly ToolChange[];
  /** Overrides that cannot be applied, as sentences. */
  readonly faults: readonly string[];
}

/** Selects the tools that the configuration allows, applies its overrides, and compares them with the pinned ones. */
function selectTools(spec: ServerSpec, all: readonly UpstreamTool[]): SelectedTools {
  const overrides = spec.toolOverrides ?? {};
  const seen = new Set<string>();
  const unique = all.filter(({ name }) => !seen.has(name) && seen.add(name));
  const allowed = unique.flatMap((tool): CatalogTool[] => {
    const override = overrideOf(overrides, tool.name);
    const shown = override ? withOverride(tool, override) : tool;
    if (!isToolAllowed(spec, tool.name, shown)) return [];
    const change = spec.pins && changeOf(spec.pins, tool);
    const blocked = change !== undefined && spec.pins?.onChange === 'block';
    return [{ own: tool.name, shown, hidden: override?.hidden ?? false, change, blocked }];
  });
  const renamed = new Map(
    allowed.filter(({ own, shown }) => own !== shown.name).map(({ own, shown }) => [shown.name, own]),
  );
  // A renamed tool has precedence: a server must not take over its name by listing another tool with this name.
  const isShadowed = ({ own, shown }: CatalogTool): boolean => (renamed.get(shown.name) ?? own) !== own;
  return {
    tools: allowed.filter((tool) => !isShadowed(tool)),
    changes: allowed.flatMap(({ own, change }) => (change === undefined ? [] : [{ tool: own, change }])),
    faults: [
      ...unknownOverrides(overrides, all),
      ...allowed
        .filter(isShadowed)
        .map(
          ({ own }) =>
            `the tool ${own} is omitted: the configuration renames ${renamed.get(own)} to this name`,
        ),
    ],
  };
}

/** Whether the configuration renames a tool to this name. */
const isNewName = ({ toolOverrides = {} }: ServerSpec, name: string): boolean =>
  Object.values(toolOverrides).some(({ rename }) => rename?.toLowerCase() === name.toLowerCase());

function overrideOf(
  overrides: Readonly<Record<string, ToolOverride>>,
  name: string,
): ToolOverride | undefined {
  const key = name.toLowerCase();
  return Object.hasOwn(overrides, key) ? overrides[key] : undefined;
}

const withOverride = (
  tool: UpstreamTool,
  { rename, description, annotations }: ToolOverride,
): UpstreamTool => ({
  ...tool,
  name: rename ?? tool.name,
  ...(description === undefined ? {} : { description }),
  ...(annotations['title'] === undefined ? {} : { title: annotations['title'] }),
  ...(Object.keys(annotations).length === 0
    ? {}
    : { annotations: { ...membersOf(tool['annotations']), ...annotations } }),
});

function changeOf({ hashes }: ToolPins, tool: UpstreamTool): ToolChange['change'] | undefined {
  if (!Object.hasOwn(hashes, tool.name)) return 'new';
  return hashes[tool.name] === definitionHash(tool.name, toolDefinition(tool)) ? undefined : 'changed';
}

function unknownOverrides(
  overrides: Readonly<Record<string, ToolOverride>>,
  all: readonly UpstreamTool[],
): string[] {
  const names = all.map(({ name }) => name);
  const lower = new Set(names.map((name) => name.toLowerCase()));
  return Object.keys(overrides)
    .filter((name) => !lower.has(name))
    .map((name) => {
      const similar = suggest(name, names);
      const hint = similar === undefined ? '' : `. Did you mean ${similar}?`;
      return `tool_overrides.${name} has no effect: the server has no such tool${hint}`;
    });
}
