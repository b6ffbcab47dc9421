import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { approvalIn, pendingIn, type PendingCall } from './approvals.ts';
import { roundsOf } from './members.ts';
import type { ToolNames } from './wire.ts';

/**
 * Replaces the items of tools that the gateway has run by calls of functions with their results. Responses to
 * requests for approval remain, because their calls have to run first.
 */
export function itemsWithoutTools(input: readonly unknown[], names: ToolNames): unknown[] {
  const items: unknown[] = [];
  let calls: Json[] = [];
  const flush = (): void => {
    for (const round of roundsOf(calls)) {
      for (const call of round) items.push(functionCall(call, names));
      for (const call of round) items.push(outputItem(call));
    }
    calls = [];
  };
  for (const item of input) {
    const { type, id, server_label: label } = membersOf(item);
    if (type === 'mcp_call' && names.isOwn(label)) {
      calls.push(membersOf(item));
      continue;
    }
    flush();
    if (type === 'mcp_list_tools' && names.isOwn(label)) continue;
    const pending = type === 'mcp_approval_request' ? pendingIn(id) : undefined;
    if (pending) for (const call of [pending, ...pending.others]) items.push(functionCall(call, names));
    else items.push(item);
  }
  flush();
  return items;
}

const functionCall = ({ id, label, tool, args }: PendingCall, names: ToolNames): Json => ({
  type: 'function_call',
  call_id: id,
  name: names.functionOf(label, tool),
  arguments: args,
});

const outputItem = ({ id, output }: { readonly id: string; readonly output: string }): Json => ({
  type: 'function_call_output',
  call_id: id,
  output,
});

/** Replaces responses to requests for approval by the results of their calls. */
export function withResults(
  body: Json,
  resultsOf: (
    approval: NonNullable<ReturnType<typeof approvalIn>>,
  ) => readonly { readonly id: string; readonly output: string }[],
): Json {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  return {
    ...body,
    input: input.flatMap((item: unknown) => {
      const approval = approvalIn(item);
      if (!approval) return [item];
      return resultsOf(approval).map(outputItem);
    }),
  };
}
