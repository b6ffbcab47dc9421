import { membersOf } from '#core/json/members-of.ts';
import { pushAll } from '#core/values/push-all.ts';
import type { Json } from '../../../providers/shapes/chat.ts';
import { objectsIn, textIn } from './members.ts';
import { isOwnId, isResult } from './response-items.ts';
import type { OwnCall, Recall, RememberedTurns, ToolNames } from './wire.ts';

// Items of the Responses API are not grouped by response. The items of a response with remembered turns are those before and between the
// client's calls that are equal to items of these turns, or that only the gateway can have written.

/** Replaces the client's items of earlier responses by what the model has written and received. */
export function withRememberedItems(
  input: readonly unknown[],
  names: ToolNames,
  recall: Recall,
): readonly unknown[] {
  const known = input.map((item) => recallBy(item, recall));
  if (known.every((one) => one === undefined)) return input;
  const present = new Set(
    objectsIn(input).flatMap(({ type, id, call_id: call }) => (isResult(type) ? [] : [id, call])),
  );
  const isPresent = ({ id, itemId }: OwnCall): boolean =>
    present.has(id) || (itemId !== undefined && present.has(itemId));
  const items: unknown[] = [];
  const restored = new Set<RememberedTurns>();
  /** The turns that were added last, unless another item has followed. */
  let current: RememberedTurns | undefined;
  for (const [at, item] of input.entries()) {
    const found = known[at];
    if (isCallOf(item, restored) || (current && isPartOf(item, current, names))) continue;
    if (found && isResult(membersOf(item)['type'])) {
      // The provider has stored the response, so only the results are missing.
      if (!restored.has(found) && !found.calls.some(isPresent)) pushAll(items, resultsIn(found));
      restored.add(found);
    } else if (found?.calls.every(isPresent)) {
      const before = countBefore(items, found, names);
      const replaced = items.slice(items.length - before);
      // What the client sends back takes precedence.
      if (!replaced.some((one) => isOwnCall(one, names))) {
        items.length -= before;
        pushAll(items, found.turns);
        restored.add(found);
        current = found;
        continue;
      }
    }
    current = undefined;
    items.push(item);
  }
  return items;
}

/** Looks up calls, references to them, and their results. */
function recallBy(item: unknown, recall: Recall): RememberedTurns | undefined {
  const { type, id, call_id: call } = membersOf(item);
  const key = textIn(type === 'item_reference' ? id : call);
  return key === undefined ? undefined : recall(key);
}

/** Calls of a response that was restored with its first call. */
function isCallOf(item: unknown, restored: ReadonlySet<RememberedTurns>): boolean {
  const { type, id, call_id: call } = membersOf(item);
  if (isResult(type)) return false;
  return [...restored].some(({ calls }) =>
    calls.some((one) => one.id === call || (type === 'item_reference' && one.itemId === id)),
  );
}

const resultsIn = ({ turns }: RememberedTurns): readonly unknown[] =>
  turns.slice(turns.findLastIndex((turn) => !isResult(membersOf(turn)['type'])) + 1);

function countBefore(items: readonly unknown[], found: RememberedTurns, names: ToolNames): number {
  const last = items.findLastIndex((item) => !isPartOf(item, found, names));
  return items.length - 1 - last;
}

const isOwnCall = (item: unknown, names: ToolNames): boolean => {
  const { type, server_label: label } = membersOf(item);
  return type === 'mcp_call' && names.isOwn(label);
};

function isPartOf(item: unknown, { turns }: RememberedTurns, names: ToolNames): boolean {
  const { type, id, server_label: label } = membersOf(item);
  if ((type === 'mcp_call' || type === 'mcp_list_tools') && names.isOwn(label)) return true;
  if (type === 'item_reference')
    return isOwnId(id, names) || objectsIn(turns).some((turn) => turn['id'] === id);
  return objectsIn(turns).some((turn) => isSame(turn, membersOf(item)));
}

/** Whether a client's item is one of the model's. Some clients remove IDs. */
function isSame(turn: Json, item: Json): boolean {
  if (turn['type'] !== (item['type'] ?? 'message') || isResult(item['type'])) return false;
  if (item['id'] !== undefined && item['id'] !== null) return item['id'] === turn['id'];
  const { call_id: call, encrypted_content: encrypted } = item;
  if (call !== undefined) return call === turn['call_id'];
  if (encrypted !== undefined && encrypted !== null) return encrypted === turn['encrypted_content'];
  return item['role'] === 'assistant' && textOf(item) !== '' && textOf(item) === textOf(turn);
}

const textOf = ({ content }: Json): string =>
  typeof content === 'string'
    ? content
    : objectsIn(content)
        .map(({ text }) => textIn(text) ?? '')
        .join('');
