import { membersOf } from '#core/json/members-of.ts';
import type { StoredObject } from '../../accounts/objects/objects.ts';
import type { Json } from '../shapes/chat.ts';

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
