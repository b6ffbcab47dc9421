import type { ToolCaller } from '../access/caller.ts';
import type { CallHeaders } from '../calls/call.ts';
import type { ReceivedRequest } from '../plugins/received-request.ts';
import type { McpEndpoint } from './endpoint.ts';

/** The client behind an HTTP request, and the endpoint that it uses. */
export interface McpClient {
  readonly caller: ToolCaller;
  readonly requestId: string;
  readonly headers: CallHeaders;
  /** The HTTP request as it arrived; only if plugins inspect the calls of scripts. */
  readonly received?: ReceivedRequest | undefined;
  readonly endpoint: McpEndpoint;
}

/**
 * Whether a request can use another client's session or multi-round request. This requires the same
 * key and the same path.
 */
export const isSameClient = (opener: McpClient, other: McpClient): boolean =>
  opener.caller.name === other.caller.name &&
  opener.caller.user === other.caller.user &&
  opener.caller.grants === other.caller.grants &&
  opener.caller.group === other.caller.group &&
  opener.endpoint.server === other.endpoint.server;

/** Time limit for a client to respond to a server request, which can involve a person reading and typing. */
export const INPUT_TIMEOUT_MS = 5 * 60_000;
