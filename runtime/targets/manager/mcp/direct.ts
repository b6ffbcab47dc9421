import { AppError } from '#contract/errors.ts';
import type { DirectRequest, DirectRoute } from '#serve/http/direct-route.ts';
import { DEFAULT_MAX_BODY_BYTES } from '#serve/mcp/read-message.ts';
import type { McpHttp } from '#serve/mcp/streamable-http.ts';
import { isCaller } from '../access/caller.ts';
import { selectFor, selectionIn } from '../access/selection.ts';
import type { McpClient } from './client.ts';
import type { EndpointFor } from './endpoint.ts';

export const ALL_SERVERS_PATH = '/mcp';
export const ONE_SERVER_PATH = '/mcp/:server';

export interface DirectMessageParts extends Pick<DirectRoute, 'hostRules'> {
  readonly mcp: McpHttp<McpClient>;
  readonly endpointFor: EndpointFor;
  readonly maxBodyBytes?: number | undefined;
}

/** The Accept headers of MCP clients, for which the direct path is allowed. */
const BOTH_TYPES: ReadonlySet<string> = new Set([
  'application/json, text/event-stream',
  'application/json,text/event-stream',
  'text/event-stream, application/json',
  'text/event-stream,application/json',
]);

/** Routes for messages that are answered without the HTTP framework. */
export function directMessages({ mcp, endpointFor, ...rules }: DirectMessageParts): readonly DirectRoute[] {
  const answer = async (request: DirectRequest): Promise<void> => {
    const { exchange, requestId, caller, parts } = request;
    if (!isCaller(caller)) throw new AppError('InternalError', 'the request has no caller');
    const selected = selectFor(caller, selectionIn(exchange.url));
    const client = {
      caller: selected,
      requestId,
      headers: exchange.headers,
      endpoint: endpointFor(selected, parts[0]),
    };
    await mcp.handle(exchange, client);
  };
  const common = {
    accepts: BOTH_TYPES,
    hostRules: rules.hostRules,
    maxBodyBytes: rules.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    answer,
  };
  return [
    { ...common, route: ALL_SERVERS_PATH, path: /^\/mcp(?:\?.*)?$/ },
    { ...common, route: ONE_SERVER_PATH, path: /^\/mcp\/([\w.-]+)(?:\?.*)?$/ },
  ];
}
