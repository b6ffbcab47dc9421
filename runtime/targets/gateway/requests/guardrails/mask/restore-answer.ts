import { isObject } from '#core/json/is-object.ts';
import { isRawNumber, parseLossless } from '#core/json/lossless-json.ts';
import type { Placeholders } from './placeholders.ts';

/** Puts values back in place of placeholders. */
export type Restorer = Pick<Placeholders, 'restore'>;

/** Members whose text is JSON itself, in which a value has to be escaped. */
const JSON_TEXTS = new Set(['arguments', 'partial_json']);

export const escapedIn = (name: string): ((value: string) => string) | undefined =>
  JSON_TEXTS.has(name) ? escaped : undefined;

export const escaped = (value: string): string => JSON.stringify(value).slice(1, -1);

/** Puts masked values back into all texts of an answer. Its type is JSON by default. */
export function restoreAnswer(bytes: Uint8Array, placeholders: Restorer, type?: string): Uint8Array {
  if (isBinary(type)) return bytes;
  const text = Buffer.from(bytes).toString('utf8');
  if (!isJson(type)) return Buffer.from(placeholders.restore(text));
  const json = parseLossless(text);
  return Buffer.from(JSON.stringify(restored(json, '', placeholders)));
}

export const isJson = (type: string | undefined): boolean => type === undefined || type.includes('json');
/** Whether an answer is audio, which has no texts. */
export const isBinary = (type: string | undefined): boolean =>
  type !== undefined && !isJson(type) && !type.startsWith('text/');

function restored(value: unknown, name: string, placeholders: Restorer): unknown {
  if (typeof value === 'string') return placeholders.restore(value, escapedIn(name));
  if (Array.isArray(value)) return value.map((item) => restored(item, name, placeholders));
  if (!isObject(value) || isRawNumber(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, restored(member, key, placeholders)]),
  );
}
