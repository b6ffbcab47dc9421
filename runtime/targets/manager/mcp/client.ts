import type { Caller } from '../access/caller.ts';
import type { Endpoint } from './endpoint.ts';

/** Who sent an HTTP request to the endpoint, and to which part of it. */
export interface McpClient {
  readonly caller: Caller;
  readonly requestId: string;
  readonly endpoint: Endpoint;
}

/** A session is its opener's, and so is a call that takes several requests: of the same key, on the same path. */
export const mayGoOn = (opener: McpClient, other: McpClient): boolean =>
  opener.caller.name === other.caller.name && opener.endpoint.server === other.endpoint.server;

/** How long a client may take to answer what a server asks: there may be a person who has to read and type. */
export const ASK_MILLISECONDS = 5 * 60_000;
