import type { Clock } from '#platform/clock.ts';
import { isAllowed, isToolAllowed, onlyReads } from '../config/allowed-tools.ts';
import type { ServerSpec } from '../config/spec.ts';
import type { ApprovalRule, PinAction, ToolOverride } from '../config/tool-policy.ts';
import type { ManagedServer, ToolChange } from '../supervisor/managed-server.ts';
import { isTool, type UpstreamTool } from './call.ts';
import type { ListReader, ListSnapshot } from './cached-list.ts';
import type { ServerLists } from './server-lists.ts';
import type { CallContext } from './run-call.ts';
import { suggest } from '#core/text/suggest.ts';
import { pinChange } from '../config/pin-change.ts';
import { membersOf } from '#core/json/members-of.ts';
import { matchesAny } from '#core/text/name-pattern.ts';
import { APPS_EXTENSION, DEFAULT_EXTENSIONS } from '../upstream/extensions.ts';
import { isVisibleTo, withoutApp } from './tool-visibility.ts';
import type { ToolCaller, ReadableKind } from '../access/caller.ts';
import type { ListName } from '../shared/list-items.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { sha256 } from '#platform/sha256.ts';

/**
 * Minimum age of a list before an unknown name triggers a new request, so that guessed names do not cause one
 * request each.
 */
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
  /** Renamed tools by their lower-case name on the server. */
  readonly byOldName: ReadonlyMap<string, CatalogTool>;
}

type Context = Pick<CallContext, 'server' | 'timeLeft'>;
type Reader = Pick<ListReader, 'signal' | 'waitLimits'>;
type CallReader = Reader & Pick<ListReader, 'isCall'>;

/** Each server's allowed tools, by name. */
export interface ToolCatalog {
  /** Returns the tools for lists, in server order. */
  readonly tools: (context: Context, reader: Reader) => Promise<readonly CatalogTool[]>;
  /** Returns the same tools without waiting, if they are cached and current or the server is asleep. */
  readonly current: (server: ManagedServer) => readonly CatalogTool[] | undefined;
  /** Finds a tool like `find`, if the server's list is cached and current. */
  readonly plan: (server: ManagedServer, name: string) => CatalogTool | undefined;
  /** Finds a tool by its exact name, its name in another case, its mapped name, or its name before renaming. */
  readonly find: (context: Context, reader: Reader, name: string) => Promise<CatalogTool | undefined>;
  /** Like `find`, but requests a new list. */
  readonly findAgain: (context: Context, reader: Reader, name: string) => Promise<CatalogTool | undefined>;
  /**
   * Whether the server lists a tool with this name, even if the configuration does not allow it. The list can
   * be cached.
   */
  readonly isListed: (context: Context, reader: Reader, name: string) => Promise<boolean>;
  /** Makes the next use request the list again. */
  readonly expire: (context: Context) => void;
}

export function createToolCatalog(lists: ServerLists, clock: Clock): ToolCatalog {
  const allowedTools = new WeakMap<ListSnapshot['items'], AllowedTools>();
  /** The latest tools of each server whose findings were reported. */
  const latest = new WeakMap<ManagedServer, AllowedTools>();

  async function readAllowed(
    { server, timeLeft }: Context,
    { signal, waitLimits, isCall }: CallReader,
  ): Promise<AllowedTools & { readonly listedAt: number }> {
    const { items, listedAt } = await lists.read(server, 'tools', { timeLeft, signal, waitLimits, isCall });
    const spec = server.spec();
    const known = allowedTools.get(items);
    // The filter only narrows the type: the list check already removed items without a name.
    if (known?.spec === spec && latest.get(server) === known) return { ...known, listedAt };
    const current = known?.spec === spec ? known : indexTools(spec, selectTools(spec, items.filter(isTool)));
    allowedTools.set(items, current);
    latest.set(server, current);
    server.pinFindings.report(current.selected, CONSEQUENCES[spec.pins?.onChange ?? 'warn']);
    return { ...current, listedAt };
  }

  const readForCall = (context: Context, { signal, waitLimits }: Reader): ReturnType<typeof readAllowed> =>
    readAllowed(context, { signal, waitLimits, isCall: true });

  /** The tools of a cached list. */
  const cached = (server: ManagedServer, snapshot: ListSnapshot | undefined): AllowedTools | undefined => {
    const known = snapshot && allowedTools.get(snapshot.items);
    return known?.spec === server.spec() && latest.get(server) === known ? known : undefined;
  };
  /** The tools of a cached, current list, which decide about a call. */
  const planned = (server: ManagedServer): AllowedTools | undefined =>
    cached(server, lists.current(server, 'tools', undefined));
  const expire = ({ server }: Context): void => lists.expire(server, 'tools');
  const findAgain: ToolCatalog['findAgain'] = async (context, reader, name) => {
    expire(context);
    return pick(await readForCall(context, reader), name.trim());
  };

  return {
    tools: async (context, reader) => (await readAllowed(context, reader)).listed,
    current: (server) => (planned(server) ?? cached(server, lists.asleep(server, 'tools')))?.listed,
    plan(server, name) {
      const known = planned(server);
      return known && pick(known, name.trim());
    },
    findAgain,
    async isListed({ server, timeLeft }, { signal, waitLimits }, name) {
      const { items } = await lists.read(server, 'tools', { timeLeft, signal, waitLimits, isCall: true });
      const lower = name.trim().toLowerCase();
      return items.some((item) => String(item['name']).toLowerCase() === lower);
    },
    expire,
    async find(context, reader, name) {
      const wanted = name.trim();
      const spec = context.server.spec();
      if (!isAllowed(spec.tools, wanted) && !looksMapped(wanted) && !isNewName(spec, wanted))
        return undefined;
      const first = await readForCall(context, reader);
      const found = pick(first, wanted);
      const isRecent = clock.now() - first.listedAt < MIN_RELIST_AGE_MS;
      return found || isRecent ? found : findAgain(context, reader, wanted);
    },
  };
}

/** Log text that describes how changed tools are treated. */
const CONSEQUENCES: Readonly<Record<PinAction, string>> = {
  warn: 'clients can still call it',
  block: 'calls to it are blocked',
};

function indexTools(spec: ServerSpec, selected: SelectedTools): AllowedTools {
  const { tools } = selected;
  const byName = new Map(tools.map((tool) => [tool.shown.name, tool]));
  // If several tools have this name, the first in server order is used.
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
  /** In server order; their visible names are unique. */
  readonly tools: readonly CatalogTool[];
  readonly changes: readonly ToolChange[];
  /** Overrides that cannot be applied, as sentences. */
  readonly faults: readonly string[];
}

/**
 * Selects the tools that the configuration allows, applies its overrides, and compares the tools
 * with the pinned tools.
 */
function selectTools(spec: ServerSpec, all: readonly UpstreamTool[]): SelectedTools {
  const overrides = spec.toolOverrides ?? {};
  const allowsApps = (spec.extensions ?? DEFAULT_EXTENSIONS).includes(APPS_EXTENSION);
  const seen = new Set<string>();
  const unique = all.filter(({ name }) => !seen.has(name) && seen.add(name));
  const allowed = unique.flatMap((tool): CatalogTool[] => {
    const override = overrideOf(overrides, tool.name);
    const offered = allowsApps ? tool : withoutApp(tool);
    const shown = override ? withOverride(offered, override) : offered;
    if (!isToolAllowed(spec, tool.name, shown)) return [];
    const change = spec.pins && pinChange(spec.pins, 'tools', tool);
    const blocked = change !== undefined && spec.pins?.onChange === 'block';
    const isReadOnly = onlyReads(shown);
    const approval = approvalOf(spec.approvals ?? [], { own: tool.name, shown, isReadOnly });
    const hidden = (override?.hidden ?? false) || !(allowsApps || isVisibleTo(tool, 'model'));
    return [{ own: tool.name, shown, hidden, change, blocked, isReadOnly, approval }];
  });
  const renamed = new Map(
    allowed.filter(({ own, shown }) => own !== shown.name).map(({ own, shown }) => [shown.name, own]),
  );
  // A renamed tool takes precedence: a server must not take over its name by listing another tool with this
  // name.
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

/**
 * Returns the action of the first rule that matches a tool; a tool without a matching rule is allowed.
 * Undefined without rules.
 */
const approvalOf = (rules: readonly ApprovalRule[], tool: RatedTool): ApprovalRule['action'] | undefined =>
  rules.length === 0 ? undefined : (rules.find((rule) => isFor(rule, tool))?.action ?? 'allow');

type RatedTool = Pick<CatalogTool, 'own' | 'shown' | 'isReadOnly'>;

function isFor({ tools, when }: ApprovalRule, { own, shown, isReadOnly }: RatedTool): boolean {
  if (!matchesAny(tools, own)) return false;
  if (when === undefined) return true;
  // `destructiveHint` defaults to true, so a tool without annotations counts as destructive.
  return (
    !isReadOnly && (when === 'not_read_only' || membersOf(shown['annotations'])['destructiveHint'] !== false)
  );
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

/** Whether the caller can get this prompt, or read the resource with this URI or URI template. */
export const canRead = (
  caller: ToolCaller,
  { name: server, prompts, resources }: ServerSpec,
  kind: ReadableKind,
  name: string,
): boolean => isAllowed(kind === 'prompt' ? prompts : resources, name) && caller.canRead(server, kind, name);

/** Whether the caller can see a list item. */
export function canList(
  caller: ToolCaller,
  spec: ServerSpec,
  list: Exclude<ListName, 'tools'>,
  { name, uri, uriTemplate }: ShapeOfParams,
): boolean {
  if (list === 'prompts') return canRead(caller, spec, 'prompt', String(name));
  return canRead(caller, spec, 'resource', String(list === 'resources' ? uri : uriTemplate));
}

/** Whether the caller can call a tool that the configuration allows. */
export const canCall = (caller: ToolCaller, server: string, { own, isReadOnly }: CatalogTool): boolean =>
  caller.canUse(server, own) && (caller.readOnly !== true || isReadOnly);

/**
 * A tool that its server's configuration allows, with everything that the configuration decides about its
 * calls. Computed once per tool list and configuration.
 */
export interface CatalogTool {
  /** The tool's name on the server, which filters, keys, groups and rules refer to. */
  readonly own: string;
  /** The tool as clients see it, with the configured overrides. */
  readonly shown: UpstreamTool;
  /** Whether lists omit the tool. */
  readonly hidden: boolean;
  /**
   * How the tool differs from its pin; undefined if there are no differences or if the server is
   * not pinned.
   */
  readonly change?: ToolChange['change'] | undefined;
  /** Whether the tool is blocked because it differs from its pin. */
  readonly blocked: boolean;
  /** Whether its annotations declare it read-only. */
  readonly isReadOnly: boolean;
  /** Action of the approval rules for a call; undefined without rules. */
  readonly approval: ApprovalRule['action'] | undefined;
}

/**
 * Tool names that clients and language models accept, and that are not a relative path:
 * https://modelcontextprotocol.io/specification/2025-11-25/server/tools
 */
const ACCEPTED = /^(?!\.{1,2}$)[\w.-]{1,128}$/;
const MAX_LENGTH = 128;

/** Suffix of a mapped name: part of a hash, so that two tools never share a mapped name. */
const SUFFIX = /_[\da-f]{8}$/;
const SUFFIX_LENGTH = 9;

/** Returns the tool's name in a single-server list: its own name, or a mapped name that clients accept. */
export const toolName = (name: string): string => (ACCEPTED.test(name) ? name : mapped(name, MAX_LENGTH));

/** Returns the tool's name in the combined list of all servers: `server__tool`, mapped if necessary. */
export function qualifiedToolName(server: string, name: string): string {
  const own = qualify(server, name);
  if (ACCEPTED.test(own)) return own;
  return qualify(server, mapped(name, MAX_LENGTH - qualify(server, '').length));
}

/** Returns the tool's mapped names without the server prefix; empty if clients accept its own name. */
function mappedNames(server: string, name: string): string[] {
  const names = [toolName(name), qualifiedToolName(server, name).slice(qualify(server, '').length)];
  return names.filter((one) => one !== name);
}

/** Whether a name has the format of a mapped name. */
const looksMapped = (name: string): boolean => SUFFIX.test(name);

function mapped(name: string, maxLength: number): string {
  const readable = name.replaceAll(/[^\w.-]+/g, '_').slice(0, maxLength - SUFFIX_LENGTH);
  return `${readable}_${sha256(Buffer.from(name)).slice(0, SUFFIX_LENGTH - 1)}`;
}

/** Separates server and item names. Server names never contain this separator, but item names can. */
const SEPARATOR = '__';

export interface QualifiedName {
  readonly server: string;
  readonly name: string;
}

/** Returns the name of an item in combined lists of all servers: `server__name`. */
export const qualify = (server: string, name: string): string => `${server}${SEPARATOR}${name}`;

/** Splits a qualified name; undefined if it does not start with a known server name. */
export function splitQualified(qualified: string, servers: readonly string[]): QualifiedName | undefined {
  const end = qualified.indexOf(SEPARATOR);
  const server = qualified.slice(0, Math.max(0, end)).toLowerCase();
  return servers.includes(server) ? { server, name: qualified.slice(end + SEPARATOR.length) } : undefined;
}
