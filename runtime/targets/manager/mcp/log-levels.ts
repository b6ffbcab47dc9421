import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';

/** The log levels of MCP, in ascending order: https://www.rfc-editor.org/rfc/rfc5424#section-6.2.1 */
export const MCP_LOG_LEVELS = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
] as const;

export type McpLogLevel = (typeof MCP_LOG_LEVELS)[number];

export function parseLogLevel(value: unknown): McpLogLevel {
  const level = MCP_LOG_LEVELS.find((known) => known === value);
  if (level !== undefined) return level;
  throw new RpcError(RPC_CODE.invalidParams, `\`level\` must be one of ${MCP_LOG_LEVELS.join(', ')}.`);
}

/** Whether a level is at least the minimum. True for unknown levels, so that no messages are lost. */
export function isAtLeast(level: unknown, min: McpLogLevel): boolean {
  const at = MCP_LOG_LEVELS.findIndex((known) => known === level);
  return at === -1 || at >= MCP_LOG_LEVELS.indexOf(min);
}
