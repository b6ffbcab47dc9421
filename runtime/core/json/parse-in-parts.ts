import type { Steps } from '../limits/steps.ts';
import { pushAll } from '../values/push-all.ts';
import type { MemberRange } from './scan-json.ts';

const LIST_END = 0x5d;

/**
 * Parses an object whose long lists are split into parts, one part per step, because parsing megabytes in a
 * single call would block the event loop. Throws for each text for which `parse` throws; only the error can
 * differ. The text must be valid UTF-8.
 */
export function* parseInParts(
  json: Uint8Array,
  members: readonly MemberRange[],
  parse: (text: string) => unknown,
): Steps<unknown> {
  const bytes = Buffer.from(json.buffer, json.byteOffset, json.length);
  // Placeholders replace the lists in the text. Clients cannot guess them.
  const unguessable = crypto.randomUUID();
  const lists = new Map<unknown, unknown[]>();
  let text = '';
  let from = 0;
  for (const { value, end, cuts } of members) {
    if (cuts.length === 0) continue;
    if (json[end - 1] !== LIST_END) throw new SyntaxError('The list does not end.');
    const items: unknown[] = [];
    let start = value + 1;
    for (const cut of [...cuts, end - 1]) {
      const part = parse(`[${bytes.toString('utf8', start, cut)}]`) as unknown[];
      if (part.length === 0) throw new SyntaxError('An item is missing.');
      pushAll(items, part);
      start = cut + 1;
      yield;
    }
    const placeholder = `${unguessable} ${lists.size}`;
    lists.set(placeholder, items);
    text += `${bytes.toString('utf8', from, value)}"${placeholder}"`;
    from = end;
  }
  const object = parse(text + bytes.toString('utf8', from)) as Readonly<Record<string, unknown>>;
  if (lists.size === 0) return object;
  for (const name of Object.keys(object)) {
    const items = lists.get(object[name]);
    // An assignment would treat `__proto__` specially.
    if (items) Object.defineProperty(object, name, { value: items });
  }
  return object;
}
