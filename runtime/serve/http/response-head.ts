import type { OutgoingHttpHeader, OutgoingHttpHeaders } from 'node:http';
import { pushAll } from '#core/values/push-all.ts';

/** Headers as `writeHead` takes them: an object, or names and values in turn. */
export type ResponseHead = OutgoingHttpHeaders | readonly OutgoingHttpHeader[] | undefined;

/** Headers by their name in lower case, with all values of each. */
export type HeaderValues = Readonly<Record<string, string[]>>;

export function headerValues(head: ResponseHead): HeaderValues {
  const values: Record<string, string[]> = {};
  for (const [name, value] of entriesOf(head)) {
    const list = (values[name.toLowerCase()] ??= []);
    pushAll(list, (Array.isArray(value) ? value : [value]).map(String));
  }
  return values;
}

function entriesOf(head: ResponseHead): (readonly [string, OutgoingHttpHeader])[] {
  if (head === undefined) return [];
  if (!isList(head)) {
    return Object.entries(head).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  }
  return head.flatMap((value, at) => (at % 2 === 0 ? [[String(value), head[at + 1] ?? '']] : []));
}

const isList = (head: NonNullable<ResponseHead>): head is readonly OutgoingHttpHeader[] =>
  Array.isArray(head);
