import { AppError } from '#contract/errors.ts';
import type { ToolCaller } from '../access/caller.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import { serverName } from '../config/server-name.ts';
import type { McpMode } from '../config/mcp-mode.ts';
import type { ManagerContext } from '../context.ts';
import type { PeerInfo } from '../upstream/connection.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { callMethods, type CallParts } from './call-methods.ts';
import type { LongResults } from './long-results.ts';
import type { ModeOf } from './mode-of.ts';
import { type ListAllServers, LIST_KINDS, type ListKind } from './list-all-servers.ts';
import { type Methods, type McpCall, type Method, optionalParam, mcpServerCall } from './mcp-call.ts';
import type { ResourceIndex } from './resource-index.ts';
import { type Targets, targetsOfAll, targetsOfOne } from './targets.ts';
import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { qualify, qualifiedToolName, toolName } from '../calls/tool-catalog.ts';
import { cutPage, type ListedItem, readCursor } from './page-cursor.ts';
import type { Tasks } from './tasks/tasks.ts';
import { ownUri } from './resource-uri.ts';
import { appUri, isAppUri, withAppUris } from './apps/app-uri.ts';
import { isVisibleTo } from '../calls/tool-visibility.ts';
import {
  allowedExtensions,
  APPS_EXTENSION,
  DEFAULT_EXTENSIONS,
  supportsApps,
  TASKS_EXTENSION,
} from '../upstream/extensions.ts';

/** The MCP server at one path. */
export interface McpEndpoint {
  /** The server in the path; undefined for the path of all servers. */
  readonly server: string | undefined;
  readonly methods: Methods;
  readonly targets: Targets;
  /** Whether the tool list never changes. */
  readonly fixedTools: boolean;
  /** Returns the description for a new client. This may require waiting for a server to start. */
  describe(caller: ToolCaller): Promise<EndpointDescription>;
}

/** The endpoint's description in the handshake. */
export interface EndpointDescription {
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  readonly capabilities: ShapeOfParams;
  readonly instructions: string;
}

interface AllServersOptions {
  readonly listAllServers: ListAllServers;
  readonly index: ResourceIndex;
  readonly longResults: LongResults;
  /** Returns what replaces the tools of all servers in a mode; undefined to list them. */
  readonly ownTools: (mode: McpMode) => OwnTools | undefined;
  readonly modeOf: ModeOf;
  readonly tasks: Tasks;
  readonly pageSize?: number | undefined;
}

/** The manager's own tools, with which clients find and call the tools of all servers. */
export interface OwnTools {
  /** The methods that list and call them. */
  readonly methods: (parts: CallParts) => readonly (readonly [string, Method])[];
  /** How to use them, for the instructions. */
  readonly rule: string;
}

/**
 * Returns the endpoint for a path, in the mode that the client selected, if it did; throws a NotFoundError if the caller has no access
 * to the server.
 */
export type EndpointFor = (
  caller: ToolCaller,
  server: string | undefined,
  selectedMode?: string,
) => McpEndpoint;

export function createEndpoints(context: ManagerContext, options: AllServersOptions): EndpointFor {
  const { calls, supervisor } = context;
  const all = new Map<McpMode, McpEndpoint>();
  const single = new WeakMap<ManagedServer, McpEndpoint>();
  return (caller, name, selectedMode) => {
    if (name === undefined) {
      const mode = options.modeOf(caller, selectedMode);
      const endpoint = all.get(mode) ?? allServers(context, options, options.ownTools(mode));
      all.set(mode, endpoint);
      return endpoint;
    }
    // The response reports which scopes are missing, because the client could obtain an access
    // token with more scopes.
    if (caller.grants !== undefined && !caller.canUse(serverName(name))) {
      throw new AppError('ForbiddenError', `server not allowed: ${name}`);
    }
    const server = supervisor.get(name);
    // Both cases return the same error, so that a caller cannot probe for servers.
    if (!server || !calls.servers(caller).includes(server.name)) {
      throw new AppError('NotFoundError', `server not found: ${name}`);
    }
    const known = single.get(server) ?? oneServer(context, server.name, options);
    single.set(server, known);
    return known;
  };
}

/** Creates the endpoint `/mcp` with the servers' tools or with the manager's own. */
function allServers(
  context: ManagerContext,
  options: AllServersOptions,
  ownTools: OwnTools | undefined,
): McpEndpoint {
  const { calls, version } = context;
  const { listAllServers, index, pageSize, longResults, tasks } = options;
  const targets = targetsOfAll(calls, index);
  const parts = { calls, targets, longResults, tasks, endpoint: undefined };
  return {
    server: undefined,
    targets,
    fixedTools: ownTools !== undefined,
    methods: longResults.extend(
      new Map([
        ...listMethodsOfAll(listAllServers, pageSize),
        ...callMethods(parts),
        ...(ownTools?.methods({ ...parts, isListed: false }) ?? []),
      ]),
      undefined,
    ),
    describe(caller) {
      const servers = calls.servers(caller);
      const names =
        servers.length === 0 ? 'No servers are available.' : `Available servers: ${servers.join(', ')}.`;
      const { group } = caller;
      const rule =
        ownTools?.rule ?? 'Tools and prompts are named server__name, after the server that provides them.';
      return Promise.resolve({
        info:
          group === undefined
            ? { name: 'mcp-manager', title: 'mcp-manager', version }
            : { name: group, version },
        capabilities: { ...ALL_CAPABILITIES, ...ALL_EXTENSIONS },
        instructions: `${group === undefined ? 'mcp-manager combines several MCP servers' : `The group ${group} of mcp-manager`}. ${names} ${rule}`,
      });
    },
  };
}

/** Creates the endpoint `/mcp/{server}`. */
function oneServer(
  context: ManagerContext,
  server: string,
  { longResults, tasks }: Pick<AllServersOptions, 'longResults' | 'tasks'>,
): McpEndpoint {
  const { calls } = context;
  const targets = targetsOfOne(server);
  const parts = { calls, targets, longResults, tasks, endpoint: server };
  return {
    server,
    targets,
    fixedTools: false,
    methods: longResults.extend(
      new Map([...listMethodsOfOne(context, server), ...callMethods(parts)]),
      server,
    ),
    async describe(caller) {
      const peer = await peerOf(context, server, caller);
      const { name, version } = peer ?? { name: server, version: context.version };
      return {
        info: { name, version, ...(peer?.title === undefined ? {} : { title: peer.title }), ...peer?.shown },
        capabilities: {
          // The rest of a long result can be a resource.
          ...(longResults.limitOf(caller) !== undefined && { resources: {} }),
          ...(peer ? forwardedCapabilities(peer.capabilities) : ALL_CAPABILITIES),
          ...(peer &&
            forwardedExtensions(peer.capabilities, context.supervisor.get(server)?.spec().extensions)),
        },
        instructions: peer?.instructions ?? `The MCP server ${server}, provided by mcp-manager.`,
      };
    },
  };
}

/**
 * The capabilities of `/mcp`. All capabilities are declared, because servers can be added while a
 * client is connected.
 */
const ALL_CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
};

/** The extensions of `/mcp`. */
const ALL_EXTENSIONS = {
  extensions: { [APPS_EXTENSION]: {}, [TASKS_EXTENSION]: {} },
  tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } },
};

function forwardedExtensions(
  { extensions, tasks }: ShapeOfParams,
  allowed: readonly string[] = DEFAULT_EXTENSIONS,
): ShapeOfParams {
  const forwarded = allowedExtensions(extensions, allowed);
  return {
    ...(Object.keys(forwarded).length > 0 && { extensions: forwarded }),
    ...(isObject(tasks) && allowed.includes(TASKS_EXTENSION) && { tasks }),
  };
}

/** Returns the forwarded capabilities of a server. Its lists can also change with the manager's configuration. */
function forwardedCapabilities(capabilities: ShapeOfParams): ShapeOfParams {
  return Object.fromEntries(
    Object.entries(ALL_CAPABILITIES)
      .filter(([name]) => capabilities[name] !== undefined)
      .map(([name, ours]) => {
        const theirs = membersOf(capabilities[name]);
        const { subscribe, ...others } = theirs;
        const capability = subscribe === true ? theirs : others;
        return [name, 'listChanged' in ours ? { ...capability, listChanged: true } : capability];
      }),
  );
}

/** Maximum time that a new client waits for a server to start. */
const PEER_TIMEOUT_MS = 10_000;

/** Returns a server's description; undefined if the server is unavailable. Later calls report the reason. */
async function peerOf(
  { calls }: ManagerContext,
  server: string,
  caller: ToolCaller,
): Promise<PeerInfo | undefined> {
  try {
    return await calls.peer({ caller, server, timeoutMs: PEER_TIMEOUT_MS });
  } catch {
    return undefined;
  }
}

/** Page size. It is large, because many clients only read the first page. */
const PAGE_SIZE = 1000;

type NamedMethods = readonly (readonly [string, Method])[];

/** The list methods of one server, with the server's own pages. */
const listMethodsOfOne = ({ calls }: ManagerContext, server: string): NamedMethods =>
  Object.values(LIST_KINDS).map((kind: ListKind) => [
    kind.method,
    async (call) => {
      const cursor = optionalParam(call.params, 'cursor');
      const { items, nextCursor } = await kind.page(calls, { ...mcpServerCall(call, server), cursor });
      if (kind !== LIST_KINDS.tools) return page(kind, items, nextCursor);
      return page(kind, items.filter(isListedFor(call)).map(underToolName), nextCursor);
    },
  ]);

/**
 * Returns the filter for tools in lists. Tools that are only for apps are listed for clients that support apps, which
 * hide them from the language model. Other clients would pass them to the model.
 */
const isListedFor = ({ capabilities }: McpCall): ((tool: ShapeOfParams) => boolean) =>
  supportsApps(capabilities) ? () => true : (tool) => isVisibleTo(tool, 'model');

const underToolName = (tool: ShapeOfParams): ShapeOfParams => {
  const name = toolName(String(tool['name']));
  return name === tool['name'] ? tool : { ...tool, name };
};

/** The list methods for all servers. The manager paginates the combined list. */
function listMethodsOfAll(listAllServers: ListAllServers, pageSize = PAGE_SIZE): NamedMethods {
  const { tools, prompts, resources, templates } = LIST_KINDS;
  const listed =
    (kind: ListKind, rename: (items: readonly ListedItem[]) => (item: ListedItem) => ShapeOfParams): Method =>
    async (call: McpCall) => {
      const after = readCursor(optionalParam(call.params, 'cursor'));
      const listed = await listAllServers(kind, call);
      const isListed = isListedFor(call);
      const all = kind === tools ? listed.filter(({ item }) => isListed(item)) : listed;
      const { items, nextCursor } = cutPage(all, after, pageSize);
      return page(kind, items.map(rename(all)), nextCursor);
    };
  const named = (kind: ListKind, nameOf: (server: string, name: string) => string): Method =>
    listed(kind, () => ({ server, key, item }) => ({
      ...withAppUris(server, item),
      name: nameOf(server, key),
    }));
  const located = (kind: ListKind): Method =>
    listed(kind, (all) => {
      const shared = sharedKeys(all);
      return ({ server, key, item }) => {
        if (isAppUri(key)) return { ...item, [kind.key]: appUri({ server, uri: key }) };
        return shared.has(key) ? { ...item, [kind.key]: ownUri({ server, uri: key }) } : item;
      };
    });
  return [
    [tools.method, named(tools, qualifiedToolName)],
    [prompts.method, named(prompts, qualify)],
    [resources.method, located(resources)],
    [templates.method, located(templates)],
  ];
}

const page = (
  kind: ListKind,
  items: readonly ShapeOfParams[],
  nextCursor: string | undefined,
): ShapeOfParams => ({
  [kind.list]: items,
  ...(nextCursor === undefined ? {} : { nextCursor }),
});

/** Returns the keys that more than one server uses. */
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
