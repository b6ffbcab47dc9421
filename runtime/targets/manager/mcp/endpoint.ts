import { AppError } from '../../../contract/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { ToolSearch } from '../calls/search.ts';
import type { ManagerContext } from '../context.ts';
import type { ManagedServer } from '../supervisor/managed-server.ts';
import type { PeerInfo } from '../upstream/connection.ts';
import type { Params } from '../shapes/shape.ts';
import { callMethods } from './call-methods.ts';
import type { Gather } from './gather.ts';
import { listMethodsOfAll, listMethodsOfOne } from './list-methods.ts';
import type { Methods } from './mcp-call.ts';
import type { ResourceIndex } from './resource-index.ts';
import { searchMethods } from './search-methods.ts';
import { type Targets, targetsOfAll, targetsOfOne } from './targets.ts';
import { membersOf } from '../../../core/json/members-of.ts';

/** What there is behind one path. */
export interface Endpoint {
  /** The one server it is about; without it, all that the caller may use. */
  readonly server: string | undefined;
  readonly methods: Methods;
  readonly targets: Targets;
  /** Whether the list of tools is always the same. */
  readonly fixedTools: boolean;
  /** For a new client; may wait for a server to start. */
  describe(caller: Caller): Promise<EndpointFacts>;
}

/** What a client is told first. */
export interface EndpointFacts {
  readonly info: { readonly name: string; readonly title?: string; readonly version: string };
  readonly capabilities: Params;
  readonly instructions: string;
}

interface AllServersOptions {
  readonly gather: Gather;
  readonly index: ResourceIndex;
  /** With it there are two tools, to find and to call all others by. */
  readonly search?: ToolSearch | undefined;
  readonly pageSize?: number | undefined;
}

/** Finds what there is behind a path; throws a NotFoundError if it names a server that is not there for the caller. */
export type EndpointFor = (caller: Caller, server: string | undefined) => Endpoint;

export function createEndpoints(context: ManagerContext, options: AllServersOptions): EndpointFor {
  const { calls, supervisor } = context;
  const all = allServers(context, options);
  const single = new WeakMap<ManagedServer, Endpoint>();
  return (caller, asked) => {
    if (asked === undefined) return all;
    const server = supervisor.get(asked);
    // Whoever may not use a server is not told whether it is there.
    if (!server || !calls.servers(caller).includes(server.name)) {
      throw new AppError('NotFoundError', `server not found: ${asked}`);
    }
    const known = single.get(server) ?? oneServer(context, server.name);
    single.set(server, known);
    return known;
  };
}

/** `/mcp` */
function allServers(context: ManagerContext, options: AllServersOptions): Endpoint {
  const { calls, version } = context;
  const { gather, index, search, pageSize } = options;
  const targets = targetsOfAll(calls, index);
  return {
    server: undefined,
    targets,
    fixedTools: search !== undefined,
    methods: new Map([
      ...listMethodsOfAll(gather, pageSize),
      ...callMethods(calls, targets),
      ...(search ? searchMethods(context, search, targets) : []),
    ]),
    describe(caller) {
      const servers = calls.servers(caller);
      const names =
        servers.length === 0 ? 'There are no servers now.' : `There are now: ${servers.join(', ')}.`;
      const rule = search
        ? 'Find a tool with search_tools, then call it with call_tool.'
        : 'A tool or prompt is named server__name, after the server it comes from.';
      return Promise.resolve({
        info: { name: 'mcp-manager', title: 'mcp-manager', version },
        capabilities: ALL_CAPABILITIES,
        instructions: `This is several MCP servers as one. ${names} ${rule}`,
      });
    },
  };
}

/** `/mcp/{server}` */
function oneServer(context: ManagerContext, server: string): Endpoint {
  const targets = targetsOfOne(server);
  return {
    server,
    targets,
    fixedTools: false,
    methods: new Map([...listMethodsOfOne(context, server), ...callMethods(context.calls, targets)]),
    async describe() {
      const peer = await peerOf(context, server);
      const { name, version } = peer ?? { name: server, version: context.version };
      return {
        info: { name, version, ...(peer?.title === undefined ? {} : { title: peer.title }) },
        capabilities: peer ? passedOn(peer.capabilities) : ALL_CAPABILITIES,
        instructions: peer?.instructions ?? `The MCP server ${server}, by way of mcp-manager.`,
      };
    },
  };
}

/** Servers come and go, so each kind may be there sooner or later. */
const ALL_CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  logging: {},
  completions: {},
};

/** Of what the server can do, that which is passed on; its lists change with our configuration too. */
function passedOn(capabilities: Params): Params {
  return Object.fromEntries(
    Object.entries(ALL_CAPABILITIES)
      .filter(([name]) => capabilities[name] !== undefined)
      .map(([name, ours]) => {
        const theirs = membersOf(capabilities[name]);
        const { subscribe, ...others } = theirs;
        const abilities = subscribe === true ? theirs : others;
        return [name, 'listChanged' in ours ? { ...abilities, listChanged: true } : abilities];
      }),
  );
}

/** A client should not wait longer than this for its session. */
const PEER_TIMEOUT = 10_000;

/** Nothing if the server is not there now; the client may find out when it calls. */
async function peerOf(context: ManagerContext, server: string): Promise<PeerInfo | undefined> {
  try {
    const connection = await context.supervisor.get(server)?.connection({ timeoutMs: PEER_TIMEOUT });
    return connection?.peer;
  } catch {
    return undefined;
  }
}
