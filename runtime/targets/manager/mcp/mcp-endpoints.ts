import { createToolSearch } from '../calls/search.ts';
import type { McpMode } from '../config/mcp-mode.ts';
import { SCRIPT_DEFAULTS, type ScriptSettings } from '../scripts/limits.ts';
import { inspectMessages, type Plugins } from '../plugins/plugins.ts';
import { createScripts, type Scripts } from '../scripts/scripts.ts';
import { codeMode } from './code-mode.ts';
import { createFindTools } from './find-tools.ts';
import { searchMode } from './search-mode.ts';
import type { ManagerContext } from '../context.ts';
import { createEndpoints, type EndpointFor, type OwnTools } from './endpoint.ts';
import { createModeOf } from './mode-of.ts';
import { createListAllServers } from './list-all-servers.ts';
import { systemClock } from '#platform/clock.ts';
import { createLongResults } from './long-results.ts';
import { createTasks } from './tasks/tasks.ts';
import { createListeners } from './listeners.ts';
import type { McpParts } from './parts.ts';
import { createResourceIndex } from './resource-index.ts';
import { createScriptRequests } from './script-requests.ts';
import { createSharedSubscriptions } from './shared-subscriptions.ts';
import { answerTraced } from '#serve/telemetry/mcp-request.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import { runAdmitted } from '#serve/lifecycle.ts';
import { toRpcError } from './to-rpc-error.ts';

export interface McpEndpointOptions {
  /** The tools of the endpoint for all servers, for callers without a mode of their own. Default: all tools of the servers. */
  readonly mode?: McpMode | undefined;
  /** The modes that clients can select in the URL. Default: none. */
  readonly clientModes?: readonly McpMode[] | undefined;
  /** Limits of scripts in code mode. */
  readonly scripts?: ScriptSettings | undefined;
  /** Page size of combined lists of all servers. */
  readonly pageSize?: number | undefined;
  /**
   * Maximum time in milliseconds that combined lists wait for a server. Default: 10 s for the
   * server to start, 5 s for its list.
   */
  readonly listTimeoutMs?: number | undefined;
  /**
   * Maximum size of a tool result in characters of JSON, for clients without their own limit. Default: no limit.
   */
  readonly resultLimit?: number | undefined;
  /** Plugins that inspect the calls of scripts. */
  readonly plugins?: Plugins | undefined;
}

export interface McpEndpoints {
  readonly parts: McpParts;
  readonly endpointFor: EndpointFor;
  /** Stops forwarding notifications and running scripts. */
  readonly close: () => Promise<void>;
}

/** Creates the MCP endpoints for all transports. */
export function createMcpEndpoints(
  context: ManagerContext,
  {
    mode = 'all',
    clientModes = [],
    scripts: settings = SCRIPT_DEFAULTS,
    pageSize,
    listTimeoutMs,
    resultLimit,
    plugins,
  }: McpEndpointOptions,
): McpEndpoints {
  const listAllServers = createListAllServers(context, listTimeoutMs);
  const index = createResourceIndex(listAllServers);
  const subscriptions = createSharedSubscriptions(context);
  const listeners = createListeners(context, { subscriptions, index });
  const { metrics } = context.kernel;
  const longResults = createLongResults({ clock: systemClock, metrics, resultLimit });
  const tasks = createTasks({ calls: context.calls, supervisor: context.supervisor, clock: systemClock });
  const find = createFindTools(context, createToolSearch(context.calls, context.meanings));
  const { calls, audit } = context;
  // Created with the first client in code mode.
  let scripts: Scripts | undefined;
  const ownTools: Record<McpMode, () => OwnTools | undefined> = {
    all: () => undefined,
    search: () => searchMode(find),
    code() {
      scripts ??= createScripts({ calls, audit, metrics, settings, clock: systemClock });
      const inspector = inspectMessages(plugins)
        ? createScriptRequests(context, { plugins, endpointFor })
        : undefined;
      return codeMode(find, scripts, inspector);
    },
  };
  const endpointFor = createEndpoints(context, {
    tasks,
    listAllServers,
    index,
    longResults,
    pageSize,
    ownTools: (own) => ownTools[own](),
    modeOf: createModeOf({ mode, clientModes }),
  });
  return {
    parts: { context, subscriptions, listeners, longResults, tasks, dispatch: createDispatch(context) },
    endpointFor,
    async close() {
      listeners.close();
      await scripts?.close();
    },
  };
}

/** Creates the function that runs a request's method. */
const createDispatch =
  ({ kernel }: ManagerContext): McpParts['dispatch'] =>
  async (methods, method, call) => {
    const handler = methods.get(method);
    if (!handler) throw new RpcError(RPC_CODE.methodNotFound, `Method not found: ${method}`);
    return await answerTraced(kernel.tracer, { method, params: call.params }, async () => {
      try {
        return await runAdmitted(kernel.lifecycle, () => handler(call));
      } catch (error) {
        throw toRpcError(error);
      }
    });
  };
