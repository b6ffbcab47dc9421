import { abortSignalOf } from '#core/limits/cancellation.ts';
import { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { requestFromClient } from '../upstream/server-requests.ts';
import type { CallContext } from './run-call.ts';
import type { Approval, McpToolCall } from './call.ts';
import { type CatalogTool, toolName } from './tool-catalog.ts';

/** Maximum length of the arguments shown in a confirmation prompt. */
const MAX_SHOWN = 1000;

/**
 * Applies the server's approval rules to a call. Rejects if a rule denies it or a required confirmation is
 * missing. `record` receives the decision, if there are rules.
 */
export async function requireApproval(
  context: CallContext,
  call: McpToolCall,
  tool: CatalogTool,
  record: (approval: Approval) => void,
): Promise<void> {
  const { approval: action } = tool;
  if (action === undefined) return;
  // Headers only allow some characters, so the name is mapped as for MCP clients.
  const name = `${context.server.name}/${toolName(tool.shown.name)}`;
  if (action === 'allow') return record('allowed');
  if (action === 'deny') {
    record('denied');
    throw new AppError('ForbiddenError', `tool denied: ${name}: an approval rule for the server denies it.`);
  }
  const approval = isConfirmed(call, name) ? 'confirmed' : await context.paused(() => ask(call, name));
  record(approval);
  if (approval === 'declined')
    throw new AppError('ForbiddenError', `tool not approved: ${name}: the user declined.`);
  if (approval === 'not confirmed') throw new AppError('ForbiddenError', unconfirmed(name));
}

const isConfirmed = ({ confirmation }: McpToolCall, name: string): boolean =>
  confirmation?.trim().toLowerCase() === name.toLowerCase();

const unconfirmed = (name: string): string =>
  `tool requires confirmation: ${name}. Call it with an MCP client that supports elicitation, or send the header X-Confirm-Tool: ${name} over HTTP.`;

/** Asks the person behind an MCP client to confirm. A client without elicitation cannot confirm. */
async function ask({ requester, signal, args }: McpToolCall, name: string): Promise<Approval> {
  if (!requester) return 'not confirmed';
  const request = { method: 'elicitation/create', params: question(name, args) };
  try {
    const { action, content } = await requestFromClient(requester, request, abortSignalOf(signal));
    return action === 'accept' && membersOf(content)['allow'] === true ? 'accepted' : 'declined';
  } catch (error) {
    if (error instanceof RpcError && error.code === RPC_CODE.methodNotFound) return 'not confirmed';
    throw error;
  }
}

function question(name: string, args: ShapeOfParams): ShapeOfParams {
  const text = JSON.stringify(args);
  const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
  return {
    message: `Allow a call to the tool ${name} with these arguments? ${shown}`,
    requestedSchema: {
      type: 'object',
      properties: { allow: { type: 'boolean', title: 'Allow this call' } },
      required: ['allow'],
    },
  };
}
