import type { Caller } from '../access/caller.ts';
import type { Endpoint } from './endpoint.ts';

/** Who sent an HTTP request to the endpoint, and to which part of it. */
export interface McpClient {
  readonly caller: Caller;
  readonly requestId: string;
  readonly endpoint: Endpoint;
}

/** A session is its opener's: of the same key, on the same path. */
export const mayShareSession = (opener: McpClient, other: McpClient): boolean =>
  opener.caller.name === other.caller.name && opener.endpoint.server === other.endpoint.server;
