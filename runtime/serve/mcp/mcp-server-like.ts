import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** An MCP server of the SDK, high-level or low-level. */
export interface McpServerLike {
  connect(transport: Transport): Promise<void>;
}
