import { AppError } from '#contract/errors.ts';
import { shortPattern } from '#core/text/short-pattern.ts';
import { toolResultShape, type ToolResult } from '../shapes/results.ts';
import { RpcFailure } from '../upstream/connection.ts';
import { requireApproval } from './approval.ts';
import type { Calls, McpToolCall } from './call.ts';
import {
  type AuditedFacts,
  type CallContext,
  type CallInfo,
  LIST_CALL_INFO,
  type RunCall,
} from './run-call.ts';
import { canCall, type CatalogTool, isAllowed, type ToolCatalog } from './tool-catalog.ts';

/**
 * Creates the tool calls. The catalog contains the configuration's decisions about tools; each call checks
 * its caller's permissions.
 */
export function toolCalls(runCall: RunCall, catalog: ToolCatalog): Pick<Calls, 'listTools' | 'callTool'> {
  /**
   * Whether the caller could call the tool if the server had it. Callers learn nothing about names that they
   * are not allowed to use.
   */
  const isUnknown = async (context: CallContext, call: McpToolCall): Promise<boolean> =>
    isAllowed(context.server.spec().tools, call.tool.trim()) &&
    call.caller.canUse(context.server.name, call.tool.trim()) &&
    !(await catalog.isListed(context, call, call.tool));

  return {
    listTools: (call) =>
      runCall(call, LIST_CALL_INFO.tools, async (context) => {
        const canUse = (tool: CatalogTool): boolean => canCall(call.caller, context.server.name, tool);
        const tools = (await catalog.tools(context, call)).filter(canUse);
        if (tools.length > 0) return tools.map(({ shown }) => shown);
        throw new AppError('NotFoundError', `tools not found: ${context.server.name}`);
      }),
    callTool(call) {
      const { caller, tool: typed, args } = call;
      const audited: AuditedFacts = { name: typed, args };
      const info: CallInfo = {
        kind: 'tool',
        audited,
        texts: (server) => ({
          title: 'MCP server error calling tool',
          detail: `tool call failed: ${server}/${typed}`,
        }),
      };
      return runCall(call, info, async (context) => {
        const { name: server } = context.server;
        const check = async (tool: CatalogTool | undefined): Promise<string> => {
          if (!tool && (await isUnknown(context, call))) {
            throw new AppError('NotFoundError', `tool not found: ${server}/${typed}`);
          }
          if (!tool || !canCall(caller, server, tool)) {
            throw new AppError('ForbiddenError', `tool not allowed: ${server}/${typed}`);
          }
          audited.tool = tool.own;
          refuseOldName(tool, server, typed);
          refuseChanged(tool, server);
          if (tool.approval !== undefined) {
            await requireApproval(context, call, tool, (approval) => (audited.approval = approval));
          }
          return tool.own;
        };
        const request = async (name: string) =>
          toolResultShape(await context.request('tools/call', { name, arguments: args }));
        const planned = catalog.plan(context.server, typed);
        const name = await check(planned ?? (await catalog.find(context, call, typed)));
        try {
          const result = await request(name);
          if (reportsUnknownTool(result, name)) catalog.expire(context);
          return result;
        } catch (error) {
          if (!deniesTool(error, name)) throw error;
          const tool = await catalog.findAgain(context, call, typed).catch(() => {
            throw error;
          });
          // If the new list also contains the tool, the error has another cause.
          if (tool?.own === name) throw error;
          return request(await check(tool));
        }
      });
    },
  };
}

function refuseOldName({ own, shown }: CatalogTool, server: string, typed: string): void {
  if (own === shown.name || own.toLowerCase() !== typed.trim().toLowerCase()) return;
  throw new AppError(
    'ForbiddenError',
    `tool renamed: ${server}/${own} is now ${server}/${shown.name}. Use the new name.`,
  );
}

function refuseChanged({ shown, change, blocked }: CatalogTool, server: string): void {
  if (!blocked) return;
  const reason = change === 'new' ? 'it is not pinned' : 'it differs from its pinned definition';
  throw new AppError(
    'ForbiddenError',
    `tool blocked: ${server}/${shown.name}: ${reason}. Review it with \`mcp-manager pin --diff ${server}\`, then accept it with \`mcp-manager pin ${server}\`.`,
  );
}

/** Messages of the official SDKs and FastMCP: `Unknown tool: x`, `Tool x not found`, `Tool x disabled`. */
const UNKNOWN = shortPattern(
  /\b(?:unknown tool|no such tool|tool\b.*\b(?:not found|not exist|not available|disabled))\b/is,
);
/** Maximum length of such a message, excluding the tool name. Longer messages have a different meaning. */
const MAX_LENGTH = 500;

const reportsUnknown = (text: string, tool: string): boolean =>
  text.length <= MAX_LENGTH + tool.length && text.includes(tool) && UNKNOWN.test(text);

/** Whether a server rejected a call because the tool does not exist, which means that nothing ran. */
const deniesTool = (error: unknown, tool: string): boolean =>
  error instanceof RpcFailure && reportsUnknown(error.message, tool);

/**
 * Whether a failed result looks like the result for an unknown tool. The tool itself can also return such a
 * text.
 */
function reportsUnknownTool({ isError, content }: ToolResult, tool: string): boolean {
  const text = content?.[0]?.text;
  return isError === true && typeof text === 'string' && reportsUnknown(text, tool);
}
