import type { StoredObject } from '../../accounts/objects/objects.ts';
import { createdIds, isUniqueId, itemsOf } from '../references/created-ids.ts';
import type { Json } from '../shapes/chat.ts';

/** The objects that the provider stores with one response of a batch, and its items. They belong to the user of the batch. */
export function storedWith(
  batch: StoredObject,
  model: string,
  answer: Json,
  now: number,
): readonly StoredObject[] {
  const { id, object, store } = answer;
  if (object !== 'response' || store === false || typeof id !== 'string' || !isUniqueId(id)) return [];
  const response: StoredObject = {
    ...batch,
    kind: 'response',
    id,
    model,
    createdAt: Math.floor(now),
    content: { id },
    plan: undefined,
    held: undefined,
  };
  return [response, ...itemsOf(response, createdIds(answer))];
}
