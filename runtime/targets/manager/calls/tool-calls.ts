import { AppError } from '#contract/errors.ts';
import { shortPattern } from '#core/text/short-pattern.ts';
import { toolResultShape, type ToolResult } from '../shapes/results.ts';
import { createdTask } from '../shapes/tasks.ts';
import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { ScanGuard } from '../scanning/guard.ts';
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
import { isVisibleTo, type ToolUser } from './tool-visibility.ts';
import { isAllowed } from '../config/allowed-tools.ts';
import { canCall, type CatalogTool, type ToolCatalog } from './tool-catalog.ts';

/**
 * Creates the tool calls. The catalog contains the configuration's decisions about tools; each call checks
 * its caller's permissions.
 */
export const toolCalls = (
  runCall: RunCall,
  catalog: ToolCatalog,
  guard: ScanGuard,
): Pick<Calls, 'listTools' | 'callTool'> => ({
  listTools: (call) =>
    runCall(call, LIST_CALL_INFO.tools, async (context) => {
      const canUse = (tool: CatalogTool): boolean => canCall(call.caller, context.server.name, tool);
      const tools = (await catalog.tools(context, call)).filter(canUse);
      if (tools.length > 0) return tools.map(({ shown }) => shown);
      throw new AppError('NotFoundError', `tools not found: ${context.server.name}`);
    }),
  callTool(call) {
    const audited: AuditedFacts = { name: call.tool, args: call.args };
    const info: CallInfo = {
      kind: 'tool',
      audited,
      texts: (server) => ({
        title: 'MCP server error calling tool',
        detail: `tool call failed: ${server}/${call.tool}`,
      }),
    };
    return runCall(call, info, (context) => new ToolCall({ catalog, guard }, call, audited, context).run());
  },
});

/** One tool call: finds the tool, checks the caller's permissions, requests approval and calls the tool. */
class ToolCall {
  readonly #catalog: ToolCatalog;
  readonly #guard: ScanGuard;
  readonly #call: McpToolCall;
  readonly #audited: AuditedFacts;
  readonly #context: CallContext;

  constructor(
    { catalog, guard }: { readonly catalog: ToolCatalog; readonly guard: ScanGuard },
    call: McpToolCall,
    audited: AuditedFacts,
    context: CallContext,
  ) {
    this.#catalog = catalog;
    this.#guard = guard;
    this.#call = call;
    this.#audited = audited;
    this.#context = context;
  }

  async run(): Promise<ToolResult> {
    const catalog = this.#catalog;
    const context = this.#context;
    const call = this.#call;
    const planned = catalog.plan(context.server, call.tool);
    const { own: name } = await this.#check(planned ?? (await catalog.find(context, call, call.tool)));
    try {
      const result = await this.#request(name);
      if (reportsUnknownTool(result, name)) catalog.expire(context);
      return result;
    } catch (error) {
      if (!deniesTool(error, name)) throw error;
      const tool = await catalog.findAgain(context, call, call.tool).catch(() => {
        throw error;
      });
      // If the new list also contains the tool, the error has another cause.
      if (tool?.own === name) throw error;
      return this.#request((await this.#check(tool)).own);
    }
  }

  async #request(name: string): Promise<ToolResult> {
    const { args, task, acceptsTask } = this.#call;
    const requested = task && (await this.#supportsTasks()) ? { task } : {};
    const result = await this.#context.request('tools/call', { name, arguments: args, ...requested });
    if (acceptsTask === true && createdTask(result)) return result;
    return toolResultShape(result);
  }

  /** Whether the server supports tasks for tool calls. Without support, it ignores the client's request for a task. */
  async #supportsTasks(): Promise<boolean> {
    const { tasks } = (await this.#context.connection()).peer.capabilities;
    return isObject(membersOf(membersOf(membersOf(tasks)['requests'])['tools'])['call']);
  }

  #check(tool: CatalogTool | undefined): CatalogTool | Promise<CatalogTool> {
    const { caller, tool: typed } = this.#call;
    const { name: server } = this.#context.server;
    if (!tool || !canCall(caller, server, tool)) return this.#reject(tool);
    this.#audited.tool = tool.own;
    this.#call.onTool?.(tool);
    refuseOldName(tool, server, typed);
    refuseOtherUser(tool, server, this.#call);
    refuseChanged(tool, server);
    return tool.approval === undefined ? tool : this.#approve(tool);
  }

  async #approve(tool: CatalogTool): Promise<CatalogTool> {
    await requireApproval(this.#context, this.#call, tool, (approval) => (this.#audited.approval = approval));
    return tool;
  }

  async #reject(tool: CatalogTool | undefined): Promise<never> {
    const name = `${this.#context.server.name}/${this.#call.tool}`;
    if (!tool && this.#canUse())
      this.#guard.requireVisible(this.#context.server, 'tools', this.#call.tool.trim());
    if (!tool && (await this.#isUnknown())) throw new AppError('NotFoundError', `tool not found: ${name}`);
    throw new AppError('ForbiddenError', `tool not allowed: ${name}`);
  }

  /**
   * Whether the caller could call the tool if the server had it. Callers learn nothing about names that they
   * are not allowed to use.
   */
  async #isUnknown(): Promise<boolean> {
    return this.#canUse() && !(await this.#catalog.isListed(this.#context, this.#call, this.#call.tool));
  }

  /** Whether the configuration and the caller's permissions allow the name. */
  #canUse(): boolean {
    const { caller, tool } = this.#call;
    const { server } = this.#context;
    return isAllowed(server.spec().tools, tool.trim()) && caller.canUse(server.name, tool.trim());
  }
}

function refuseOldName({ own, shown }: CatalogTool, server: string, typed: string): void {
  if (own === shown.name || own.toLowerCase() !== typed.trim().toLowerCase()) return;
  throw new AppError(
    'ForbiddenError',
    `tool renamed: ${server}/${own} is now ${server}/${shown.name}. Use the new name.`,
  );
}

/** Rejects a call if its server intends the tool for other users. Calls of clients can come from a model or an app. */
function refuseOtherUser({ shown }: CatalogTool, server: string, { script, isApp }: McpToolCall): void {
  const user: ToolUser | undefined = isApp === true ? 'app' : script === undefined ? undefined : 'model';
  if (user === undefined || isVisibleTo(shown, user)) return;
  const others = user === 'app' ? 'only language models can call it' : 'only apps of its server can call it';
  throw new AppError('ForbiddenError', `tool not allowed: ${server}/${shown.name}: ${others}`);
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
