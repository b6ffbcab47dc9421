import { membersOf } from '#core/json/members-of.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { type Approval, pendingIn, type PendingCall } from './approvals.ts';
import { roundsOf } from './members.ts';
import type { OwnCall, ToolNames } from './wire.ts';

/**
 * Replaces the items of tools that the gateway has run by calls of functions with their results. Responses to
 * requests for approval remain, because their calls have to run first.
 */
export function itemsWithoutTools(input: readonly unknown[], names: ToolNames): unknown[] {
  const items: unknown[] = [];
  let calls: Json[] = [];
  /** Calls that are in the conversation since their approval was requested. */
  const requested = new Set<string>();
  const flush = (): void => {
    for (const round of roundsOf(calls)) {
      for (const call of round) if (!requested.has(call.id)) items.push(functionCall(call, names));
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
    // No provider has stored an item of the gateway.
    if (type === 'item_reference' && isOwnId(id, names)) continue;
    const pending = type === 'mcp_approval_request' ? pendingIn(id) : undefined;
    if (!pending) items.push(item);
    for (const call of pending ? [pending, ...pending.others] : []) {
      requested.add(call.id);
      items.push(functionCall(call, names));
    }
  }
  flush();
  return items;
}

/** Whether an ID is one that the gateway has given to an item. */
export const isOwnId = (id: unknown, names: ToolNames): boolean =>
  typeof id === 'string' &&
  (/^mcp_\d+_/.test(id) || (id.startsWith(LIST_PREFIX) && names.isOwn(id.slice(LIST_PREFIX.length))));

const LIST_PREFIX = 'mcpl_';

/** The ID of the item with a server's tools. */
export const listId = (label: string): string => LIST_PREFIX + label;

/** The calls whose results the client sends: it has their IDs, unlike those that the provider runs itself. */
export const clientCallsIn = (items: readonly Json[]): readonly OwnCall[] => {
  const done = new Set(items.filter(({ type }) => isResult(type)).map(({ call_id: id }) => id));
  return items.flatMap(({ type, call_id: id, id: itemId }) =>
    String(type).endsWith('_call') && typeof id === 'string' && !done.has(id)
      ? [{ id, itemId: typeof itemId === 'string' ? itemId : undefined }]
      : [],
  );
};

/** Whether an item is the result of a call. */
export const isResult = (type: unknown): boolean => String(type).endsWith('_output');

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
  given: ReadonlyMap<unknown, Approval>,
  resultsOf: (approval: Approval) => readonly { readonly id: string; readonly output: string }[],
): Json {
  const { input } = body;
  if (!Array.isArray(input)) return body;
  return {
    ...body,
    input: input.flatMap((item: unknown) => {
      const approval = given.get(item);
      return approval ? resultsOf(approval).map(outputItem) : [item];
    }),
  };
}
