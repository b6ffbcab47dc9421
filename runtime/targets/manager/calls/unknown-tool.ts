import { RpcFailure } from '../upstream/connection.ts';
import type { ToolResult } from '../shapes/results.ts';

/** As the official SDKs and FastMCP write it: `Unknown tool: x`, `Tool x not found`, `Tool x disabled`. */
const UNKNOWN =
  /\b(?:unknown tool|no such tool|tool\b.*\b(?:not found|not exist|not available|disabled))\b/is;
/** Longer texts are about something else. */
const MAX_LENGTH = 500;

const reportsUnknown = (text: string, tool: string): boolean =>
  text.length <= MAX_LENGTH + tool.length && text.includes(tool) && UNKNOWN.test(text);

/** Whether a server refuses a call because it does not have the tool: then nothing was called. */
export const deniesTool = (error: unknown, tool: string): boolean =>
  error instanceof RpcFailure && reportsUnknown(error.message, tool);

/** Whether a failed result looks like that of an unknown tool. It can also be about something that the tool looked for. */
export function reportsUnknownTool({ isError, content }: ToolResult, tool: string): boolean {
  const text = content?.[0]?.text;
  return isError === true && typeof text === 'string' && reportsUnknown(text, tool);
}
