import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { EXAMPLES } from './check-row.ts';
import type { DatasetCell, RowCells } from './dataset.ts';

/**
 * Adds the model input to a row that only contains a conversation: the first turn, or the last user message. Other
 * rows are returned unchanged.
 */
export function withConversationText(row: RowCells): RowCells {
  const { turns, messages } = row;
  if (Object.hasOwn(row, EXAMPLES) || (turns === undefined && messages === undefined)) return row;
  const text = textOfTurn(listIn(turns)[0]) ?? textOfMessage(listIn(messages).findLast(isFromUser));
  return { [EXAMPLES]: text ?? null, ...row };
}

/** A list in a cell; in CSV, as JSON. Other values are reported when the row is read for its task. */
function listIn(cell: DatasetCell | undefined): readonly unknown[] {
  if (typeof cell !== 'string') return Array.isArray(cell) ? cell : [];
  try {
    const value: unknown = parseJsonText(cell);
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}

const isFromUser = (message: unknown): boolean => isObject(message) && message['role'] === 'user';

function textOfTurn(turn: unknown): string | undefined {
  if (typeof turn === 'string') return turn;
  return isObject(turn) && typeof turn['user'] === 'string' ? turn['user'] : undefined;
}

function textOfMessage(message: unknown): string | undefined {
  const content = isObject(message) ? message['content'] : undefined;
  if (typeof content === 'string') return content;
  const [part] = Array.isArray(content) ? content : [];
  return isObject(part) && typeof part['text'] === 'string' ? part['text'] : undefined;
}
