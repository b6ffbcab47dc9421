import type { McpMode } from './mcp-mode.ts';

/** A named group of servers and tools, with its own MCP and HTTP endpoints. */
export interface GroupSpec {
  readonly name: string;
  /** Server patterns. */
  readonly servers: readonly string[];
  /** `server/name` patterns; on a server mentioned here, the group contains only matching items. */
  readonly tools: readonly string[];
  readonly prompts: readonly string[];
  readonly resources: readonly string[];
  /** Tools at `/groups/{group}/mcp`, unless the key has its own mode. Default: the mode of the manager. */
  readonly mcpMode?: McpMode;
}
