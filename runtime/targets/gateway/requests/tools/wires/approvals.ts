import { isObject } from '#core/json/is-object.ts';
import { membersOf } from '#core/json/members-of.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import type { ApprovalRequest } from './wire.ts';

/** A call that waits for an approval, or runs as soon as the calls of its round have been approved. */
export interface PendingCall {
  readonly id: string;
  readonly label: string;
  readonly tool: string;
  readonly args: string;
}

/** What a request for approval contains, so that nothing is stored until the client responds. */
interface Pending extends PendingCall {
  /** Calls of the same round that need no approval. They run later, so that the model gets all results together. */
  readonly others: readonly PendingCall[];
}

const PREFIX = 'mcpr_';

/** The ID of a request for approval, from which the call can be read. */
export const approvalId = (pending: Pending): string => {
  const { id, label, tool, args, others } = pending;
  const text = JSON.stringify([
    id,
    label,
    tool,
    args,
    ...others.map((one) => [one.id, one.label, one.tool, one.args]),
  ]);
  return PREFIX + Buffer.from(text).toString('base64url');
};

/** The calls in the ID of a request for approval; undefined for the ID of another server. */
export function pendingIn(id: unknown): Pending | undefined {
  if (typeof id !== 'string' || !id.startsWith(PREFIX)) return undefined;
  try {
    const parsed = parseJsonText(Buffer.from(id.slice(PREFIX.length), 'base64url').toString('utf8'));
    const [own, others] = Array.isArray(parsed) ? [parsed.slice(0, 4), parsed.slice(4)] : [[], []];
    const call = callIn(own);
    const rest = others.map(callIn).filter((one) => one !== undefined);
    return call && rest.length === others.length ? { ...call, others: rest } : undefined;
  } catch {
    return undefined;
  }
}

function callIn(value: unknown): PendingCall | undefined {
  if (!Array.isArray(value) || value.length !== 4) return undefined;
  const [id, label, tool, args] = value as readonly unknown[];
  const isText = (one: unknown): one is string => typeof one === 'string';
  return isText(id) && isText(label) && isText(tool) && isText(args) ? { id, label, tool, args } : undefined;
}

/** The item of OpenAI's Responses API. */
export const approvalItem = ({ id, label, tool, args }: ApprovalRequest): Json => ({
  type: 'mcp_approval_request',
  id,
  server_label: label,
  name: tool,
  arguments: args,
});

/** A client's response to a request for approval. */
export interface Approval {
  readonly pending: Pending;
  readonly isApproved: boolean;
  readonly reason: string | undefined;
  /** Whether the model has not responded to it yet. Earlier ones are part of the conversation and run nothing. */
  readonly isLatest: boolean;
}

/** The approvals in a conversation, and the IDs of calls whose results it contains. */
export function approvalsIn(items: readonly unknown[]): {
  readonly given: ReadonlyMap<unknown, Approval>;
  readonly ended: ReadonlySet<unknown>;
} {
  const input = items.map(membersOf);
  const pending = new Set<unknown>(
    input.flatMap((item) => approvalIn(item, true)?.pending ?? []).flatMap(callIds),
  );
  const last = input.findLastIndex(
    ({ type, role, call_id: id }) => (role === 'assistant' || MODEL_ITEMS.has(type)) && !pending.has(id),
  );
  const approvals = items.map((item, at) => [item, approvalIn(item, at > last)] as const);
  return {
    given: new Map(approvals.flatMap(([item, approval]) => (approval ? [[item, approval]] : []))),
    ended: new Set(input.flatMap(({ type, call_id: id }) => (type === 'function_call_output' ? [id] : []))),
  };
}

const callIds = ({ id, others }: Pending): string[] => [id, ...others.map((one) => one.id)];

const MODEL_ITEMS = new Set<unknown>(['reasoning', 'function_call', 'custom_tool_call']);

function approvalIn(item: unknown, isLatest: boolean): Approval | undefined {
  if (!isObject(item) || item['type'] !== 'mcp_approval_response') return undefined;
  const pending = pendingIn(item['approval_request_id']);
  if (!pending) return undefined;
  const { reason } = item;
  return {
    pending,
    isApproved: item['approve'] === true,
    reason: typeof reason === 'string' ? reason : undefined,
    isLatest,
  };
}
