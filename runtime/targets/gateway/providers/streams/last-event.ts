import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import type { Json } from '../shapes/chat.ts';

/** Whether the bytes contain an event, and not only comments. */
export const hasEvent = (bytes: Uint8Array): boolean =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).includes('data:');

const DATA = /^data: ?(\{.*)$/gm;

/** The data of the last event whose data is an object. */
export function lastEventIn(bytes: Uint8Array): Json | undefined {
  const data = [...Buffer.from(bytes).toString('utf8').matchAll(DATA)].at(-1)?.[1];
  if (data === undefined) return undefined;
  try {
    const event = parseJsonText(data);
    return isObject(event) ? event : undefined;
  } catch {
    return undefined;
  }
}
