import type { ToolCaller } from '../access/caller.ts';
import type { CallHeaders } from '../calls/call.ts';
import type { McpEndpoint } from './endpoint.ts';

/** The client of an HTTP request, and the endpoint that it uses. */
export interface McpClient {
  readonly caller: ToolCaller;
  readonly requestId: string;
  readonly headers: CallHeaders;
  readonly endpoint: McpEndpoint;
}

/** Whether a request can use a session or a multi-round request of another one: only with the same key, on the same path. */
export const isSameClient = (opener: McpClient, other: McpClient): boolean =>
  opener.caller.name === other.caller.name &&
  opener.caller.user === other.caller.user &&
  opener.caller.grants === other.caller.grants &&
  opener.caller.group === other.caller.group &&
  opener.endpoint.server === other.endpoint.server;

/** Time for a client to respond to a request of a server, which can involve a person who reads and types. */
export const INPUT_TIMEOUT_MS = 5 * 60_000;
