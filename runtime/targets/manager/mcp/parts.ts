import type { ManagerContext } from '../context.ts';
import type { Params } from '../shapes/shape.ts';
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
}
