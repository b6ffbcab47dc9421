import type { StoredObject } from '../../accounts/objects/objects.ts';
import { createdIds, isUniqueId, itemsOf } from '../../providers/references/created-ids.ts';
import { createdIn } from '../../providers/references/created-with.ts';
import type { Json } from '../../providers/shapes/chat.ts';

/** The objects that the provider stores with one response of a batch, and its items. They belong to the user of the batch. */
export function storedWith(
  batch: StoredObject,
  model: string,
  answer: Json,
  now: number,
): readonly StoredObject[] {
  const { id, object, store } = answer;
  const of = { ...batch, model, createdAt: Math.floor(now) };
  const created = itemsOf(of, createdIn(answer));
  if (object !== 'response' || store === false || typeof id !== 'string' || !isUniqueId(id)) return created;
  const response: StoredObject = {
    ...of,
    kind: 'response',
    id,
    content: { id },
    plan: undefined,
    held: undefined,
  };
  return [response, ...itemsOf(response, createdIds(answer)), ...created];
}
