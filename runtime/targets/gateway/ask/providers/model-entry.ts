import type { ModelEntry } from './provider.ts';

/** In the year 9999; what is later is no time. */
const LATEST = 253_402_300_799;
// oxlint-disable-next-line no-control-regex -- nobody could ask for such a model.
const UNSPEAKABLE = /[\u0000-\u001f\u007f]/;

/** A model of a provider's list; none if requests could not name it. `created` is in seconds since 1970. */
export function modelEntry(id: unknown, created: unknown, ownedBy: string): ModelEntry[] {
  if (typeof id !== 'string' || id === '' || id !== id.trim() || UNSPEAKABLE.test(id)) return [];
  if (!id.isWellFormed()) return [];
  const isTime = typeof created === 'number' && created >= 0 && created <= LATEST;
  return [{ id, created: isTime ? Math.floor(created) : 0, ownedBy }];
}
