import type { Caller } from '../access/caller.ts';
import type { ManagerContext } from '../context.ts';
import type { Params } from '../shapes/shape.ts';
import type { Endpoint } from './endpoint.ts';
import type { Interests } from './interests.ts';
import type { Listeners } from './listeners.ts';
import type { McpCall, Methods } from './mcp-call.ts';

/** What all clients of the MCP endpoint share. */
export interface McpParts {
  readonly context: ManagerContext;
  readonly interests: Interests;
  readonly listeners: Listeners;
  /** Rejects with an RpcError that clients may see. */
  readonly dispatch: (methods: Methods, method: string, call: McpCall) => Promise<Params>;
  /** The one server that a request is about, if its parameters tell. */
  readonly serverOf: (endpoint: Endpoint, caller: Caller, params: Params) => string | undefined;
}
