import { membersOf } from '#core/json/members-of.ts';
import type { StoredObject } from '../../accounts/objects/objects.ts';
import type { Json } from '../shapes/chat.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** Maximum ids of one answer that are recorded. */
export const MAX_CREATED_IDS = 1000;

/** The ids of what a provider has created with a response. */
export function createdIds({ output }: Json): readonly string[] {
  return Array.isArray(output) ? output.flatMap(idsOfItem).slice(0, MAX_CREATED_IDS) : [];
}

/** Shorter ids are counters or small numbers of local servers: they repeat, and anyone can guess them. */
const MIN_UNIQUE_LENGTH = 20;

export const isUniqueId = ({ length }: string): boolean => length >= MIN_UNIQUE_LENGTH;

/** The id of an item of a response, and of the container that its code ran in. */
export function idsOfItem(item: unknown): string[] {
  const { id, container_id: container } = membersOf(item);
  return [id, container].filter((one) => typeof one === 'string').filter(isUniqueId);
}

/** Items that belong to the user of a response. */
export const itemsOf = (
  response: Omit<StoredObject, 'kind' | 'id' | 'content' | 'plan' | 'held'>,
  ids: readonly string[],
): StoredObject[] => [...new Set(ids)].map((id) => ({ ...response, ...NO_WORK, kind: 'item', id }));

const NO_WORK = { content: {}, plan: undefined, held: undefined };

// What a provider creates while it answers, and what later requests can name, on every API: containers and files of code that the provider
// runs, and audio that a later message can repeat. A client that knows such an id could otherwise use it, because all users share the account.

/** Every answer that contains such an id has one of these names. */
const MARKS = ['"container', '"file_id"', '"audio"'] as const;

/** The ids in an answer, or in an event of a stream. Most contain none, and are not parsed for it. */
export function createdWith(text: string | Buffer): readonly string[] {
  if (!MARKS.some((mark) => text.includes(mark))) return [];
  return createdIn(parseJsonText(typeof text === 'string' ? text : text.toString('utf8')));
}

/** The ids in an answer that was parsed. */
export function createdIn(answer: unknown): readonly string[] {
  const ids = new Set<string>();
  const open: unknown[] = [answer];
  while (open.length > 0 && ids.size < MAX_CREATED_IDS) {
    const item = open.pop();
    if (typeof item !== 'object' || item === null) continue;
    if (!Array.isArray(item)) for (const id of idsOf(item as Readonly<Record<string, unknown>>)) ids.add(id);
    for (const child of Object.values(item)) if (typeof child === 'object') open.push(child);
  }
  return [...ids];
}

function idsOf({
  container,
  container_id: containerId,
  audio,
  file_id: fileId,
  type,
}: Readonly<Record<string, unknown>>): string[] {
  // Other files in an answer, for example of a search, can belong to all.
  const isWritten =
    typeof containerId === 'string' || (typeof type === 'string' && type.endsWith('code_execution_output'));
  return [membersOf(container)['id'], containerId, membersOf(audio)['id'], isWritten ? fileId : undefined]
    .filter((id) => typeof id === 'string')
    .filter(isUniqueId);
}
