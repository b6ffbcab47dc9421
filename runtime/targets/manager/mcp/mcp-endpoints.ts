import { createToolSearch } from '../calls/search-tools.ts';
import type { ManagerContext } from '../context.ts';
import { createDispatch } from './dispatch.ts';
import { createEndpoints, type EndpointFor } from './endpoint.ts';
import { createListAllServers } from './list-all-servers.ts';
import { createListeners } from './listeners.ts';
import type { McpParts } from './parts.ts';
import { createResourceIndex } from './resource-index.ts';
import { createSharedSubscriptions } from './shared-subscriptions.ts';

export interface McpEndpointOptions {
  /** Whether the endpoint of all servers has two tools that search and call the tools of all servers, instead of these tools. */
  readonly search?: boolean | undefined;
  /** Page size of lists over all servers. */
  readonly pageSize?: number | undefined;
  /** Maximum time in milliseconds that these lists wait for one server. Default 10 s for its start, 5 s for its list. */
  readonly listTimeoutMs?: number | undefined;
}

export interface McpEndpoints {
  readonly parts: McpParts;
  readonly endpointFor: EndpointFor;
  /** Stops forwarding notifications. */
  readonly close: () => void;
}

/** Creates the MCP endpoints for all transports. */
export function createMcpEndpoints(
  context: ManagerContext,
  { search = false, pageSize, listTimeoutMs }: McpEndpointOptions,
): McpEndpoints {
  const listAllServers = createListAllServers(context, listTimeoutMs);
  const index = createResourceIndex(listAllServers);
  const subscriptions = createSharedSubscriptions(context);
  const listeners = createListeners(context, { subscriptions, index });
  return {
    parts: { context, subscriptions, listeners, dispatch: createDispatch(context) },
    endpointFor: createEndpoints(context, {
      listAllServers,
      index,
      pageSize,
      search: search ? createToolSearch(context.calls) : undefined,
    }),
    close: () => listeners.close(),
  };
}
