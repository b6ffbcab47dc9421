import { AppError } from '#contract/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { ToolSearch } from '../calls/search-tools.ts';
import { serverOf } from '../calls/server-of.ts';
import { serverName } from '../config/server-name.ts';
import type { ManagerContext } from '../context.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import type { PeerInfo } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import { callMethods } from './call-methods.ts';
import type { ListAllServers } from './list-all-servers.ts';
import { listMethodsOfAll, listMethodsOfOne } from './list-methods.ts';
import type { Methods } from './mcp-call.ts';
import type { ResourceIndex } from './resource-index.ts';
import { searchMethods } from './search-methods.ts';
import { type Targets, targetsOfAll, targetsOfOne } from './targets.ts';
import { membersOf } from '#core/json/members-of.ts';

/** The MCP server at one path. */
export interface Endpoint {
  /** The server of the path; undefined for the path of all servers. */
  readonly server: string | undefined;
  readonly methods: Methods;
  readonly targets: Targets;
  /** Whether the list of tools is always the same. */
  readonly fixedTools: boolean;
  /** Returns the description for a new client. It can wait for a server to start. */
  describe(caller: Caller): Promise<EndpointDescription>;
}

/** The description of an endpoint in the handshake. */
export interface EndpointDescription {
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  readonly capabilities: Params;
  readonly instructions: string;
}

interface AllServersOptions {
  readonly listAllServers: ListAllServers;
  readonly index: ResourceIndex;
  /** Replaces the tools of all servers by two tools that search and call them. */
  readonly search?: ToolSearch | undefined;
  readonly pageSize?: number | undefined;
}

/** Returns the endpoint of a path; throws a NotFoundError if the caller has no access to the server. */
export type EndpointFor = (caller: Caller, server: string | undefined) => Endpoint;

export function createEndpoints(context: ManagerContext, options: AllServersOptions): EndpointFor {
  const { calls, supervisor } = context;
  const all = allServers(context, options);
  const single = new WeakMap<ManagedServer, Endpoint>();
  return (caller, name) => {
    if (name === undefined) return all;
    // An access token with more scopes could help, which the response reports.
    if (caller.grants !== undefined && !caller.canUse(serverName(name))) {
      throw new AppError('ForbiddenError', `server not allowed: ${name}`);
    }
    const server = supervisor.get(name);
    // The same error for both reasons, so that a caller cannot probe which servers exist.
    if (!server || !calls.servers(caller).includes(server.name)) {
      throw new AppError('NotFoundError', `server not found: ${name}`);
    }
    const known = single.get(server) ?? oneServer(context, server.name);
    single.set(server, known);
    return known;
  };
}

/** Creates the endpoint `/mcp`. */
function allServers(context: ManagerContext, options: AllServersOptions): Endpoint {
  const { calls, version } = context;
  const { listAllServers, index, search, pageSize } = options;
  const targets = targetsOfAll(calls, index);
  return {
    server: undefined,
    targets,
    fixedTools: search !== undefined,
    methods: new Map([
      ...listMethodsOfAll(listAllServers, pageSize),
      ...callMethods(calls, targets),
      ...(search ? searchMethods(context, search, targets) : []),
    ]),
    describe(caller) {
      const servers = calls.servers(caller);
      const names =
        servers.length === 0 ? 'No servers are available.' : `Available servers: ${servers.join(', ')}.`;
      const { group } = caller;
      const rule = search
        ? 'Find a tool with search_tools, then call it with call_tool.'
        : 'Tools and prompts are named server__name, after the server that provides them.';
      return Promise.resolve({
        info:
          group === undefined
            ? { name: 'mcp-manager', title: 'mcp-manager', version }
            : { name: group, version },
        capabilities: ALL_CAPABILITIES,
        instructions: `${group === undefined ? 'mcp-manager combines several MCP servers' : `The group ${group} of mcp-manager`}. ${names} ${rule}`,
      });
    },
  };
}

/** Creates the endpoint `/mcp/{server}`. */
function oneServer(context: ManagerContext, server: string): Endpoint {
  const targets = targetsOfOne(server);
  return {
    server,
    targets,
    fixedTools: false,
    methods: new Map([...listMethodsOfOne(context, server), ...callMethods(context.calls, targets)]),
    async describe({ user }) {
      const peer = await peerOf(context, server, user);
      const { name, version } = peer ?? { name: server, version: context.version };
      return {
        info: { name, version, ...(peer?.title === undefined ? {} : { title: peer.title }) },
        capabilities: peer ? forwardedCapabilities(peer.capabilities) : ALL_CAPABILITIES,
        instructions: peer?.instructions ?? `The MCP server ${server}, provided by mcp-manager.`,
      };
    },
  };
}

/** The capabilities of `/mcp`: all of them, because servers can be added while a client is connected. */
const ALL_CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
};

/** Returns the capabilities of a server that are forwarded. Its lists also change with the configuration of the manager. */
function forwardedCapabilities(capabilities: Params): Params {
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

/** Returns the description of a server; undefined if it is unavailable, which calls will report later. */
async function peerOf(
  { supervisor }: ManagerContext,
  server: string,
  user: string | undefined,
): Promise<PeerInfo | undefined> {
  try {
    const connection = await serverOf(supervisor, { server, user })?.connection({
      timeoutMs: PEER_TIMEOUT_MS,
    });
    return connection?.peer;
  } catch {
    return undefined;
  }
}
