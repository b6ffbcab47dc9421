import { AppError } from '../../../contract/errors.ts';
import type { DirectRequest, DirectRoute } from '../../../serve/http/direct-route.ts';
import { DEFAULT_MAX_BODY_BYTES } from '../../../serve/mcp/read-message.ts';
import type { McpHttp } from '../../../serve/mcp/streamable-http.ts';
import { isCaller } from '../access/caller.ts';
import type { McpClient } from './client.ts';
import type { EndpointFor } from './endpoint.ts';

export const ALL = '/mcp';
export const ONE = '/mcp/:server';

export interface DirectMessageParts extends Pick<DirectRoute, 'hostRules'> {
  readonly mcp: McpHttp<McpClient>;
  readonly endpointFor: EndpointFor;
  readonly maxBodyBytes?: number | undefined;
}

/** As clients of MCP write what they have to accept. */
const BOTH_TYPES: ReadonlySet<string> = new Set([
  'application/json, text/event-stream',
  'application/json,text/event-stream',
  'text/event-stream, application/json',
  'text/event-stream,application/json',
]);

/** Messages to the endpoint that need nothing of the app. */
export function directMessages({ mcp, endpointFor, ...rules }: DirectMessageParts): readonly DirectRoute[] {
  const answer = async (request: DirectRequest): Promise<void> => {
    const { exchange, requestId, caller, parts } = request;
    if (!isCaller(caller)) throw new AppError('InternalError', 'a message was sent by nobody');
    const client = { caller, requestId, endpoint: endpointFor(caller, parts[0]) };
    await mcp.handle(exchange, client);
  };
  const common = {
    accepts: BOTH_TYPES,
    hostRules: rules.hostRules,
    maxBodyBytes: rules.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES,
    answer,
  };
  return [
    { ...common, route: ALL, path: /^\/mcp$/ },
    { ...common, route: ONE, path: /^\/mcp\/([\w.-]+)$/ },
  ];
}
