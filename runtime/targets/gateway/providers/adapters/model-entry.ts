import type { ModelEntry } from './provider.ts';

/** The end of the year 9999, in seconds since 1970. Larger numbers are invalid times. */
const MAX_CREATED = 253_402_300_799;
// oxlint-disable-next-line no-control-regex -- Requests cannot name a model with control characters.
const CONTROL_CHARACTERS = /[\u0000-\u001f\u007f]/;

/** A model of a provider's list; empty if requests could not name it. `created` is in seconds since 1970. */
export function modelEntry(id: unknown, created: unknown, ownedBy: string): ModelEntry[] {
  if (typeof id !== 'string' || id === '' || id !== id.trim() || CONTROL_CHARACTERS.test(id)) return [];
  if (!id.isWellFormed()) return [];
  const isTime = typeof created === 'number' && created >= 0 && created <= MAX_CREATED;
  return [{ id, created: isTime ? Math.floor(created) : 0, ownedBy }];
}
