import type { ManagerContext } from '../context.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { SharedSubscriptions } from './shared-subscriptions.ts';
import type { LongResults } from './long-results.ts';
import type { Tasks } from './tasks/tasks.ts';
import type { Listeners } from './listeners.ts';
import type { McpCall, Methods } from './mcp-call.ts';

/** The dependencies shared by all clients of the MCP endpoints. */
export interface McpParts {
  readonly context: ManagerContext;
  readonly subscriptions: SharedSubscriptions;
  readonly listeners: Listeners;
  readonly longResults: LongResults;
  readonly tasks: Tasks;
  /** Runs a method; rejects with an RpcError for the client. */
  readonly dispatch: (methods: Methods, method: string, call: McpCall) => Promise<ShapeOfParams>;
}
