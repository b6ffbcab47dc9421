import { AppError } from '#contract/errors.ts';
import type { ObjectPlace } from '../../accounts/objects/objects.ts';
import type { Router } from './routing.ts';

/**
 * The keys with which the objects that a request refers to were stored, by provider, because other keys do
 * not find them; undefined if no provider of them has several keys. Throws a MalformedError if two objects
 * of a provider require different keys, and an UnavailableError for a key that is not configured.
 */
export function requiredKeysOf(
  { provider: find }: Pick<Router, 'provider'>,
  places: readonly ObjectPlace[],
): ReadonlyMap<string, string> | undefined {
  let required: Map<string, string> | undefined;
  for (const { kind, id, provider, providerKey } of places) {
    const { keys } = find(provider) ?? {};
    if (!keys) continue;
    // Objects from the time when the provider had a single key belong to the first one.
    const key = providerKey ?? keys.names[0];
    if (!keys.names.includes(key))
      throw new AppError(
        'UnavailableError',
        `The key with which provider '${provider}' stored ${kind} '${id.slice(0, 200)}' is not configured.`,
        { reason: 'provider_not_configured' },
      );
    const before = required?.get(provider) ?? key;
    if (before !== key)
      throw new AppError(
        'MalformedError',
        `The request refers to objects that provider '${provider}' stored with different keys. Upload the files again.`,
        { reason: 'objects_of_different_keys' },
      );
    required = (required ?? new Map<string, string>()).set(provider, key);
  }
  return required;
}
