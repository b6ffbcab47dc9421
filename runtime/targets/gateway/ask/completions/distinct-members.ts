import { AppError } from '../../../../contract/errors.ts';
import { countMembers, memberNames } from '../../shared/json-members.ts';
import type { Json } from '../shapes/chat.ts';

/**
 * Throws an InputError if two members of the request have one name, or names that differ in capitals alone. The bytes go on as
 * they are, and the provider might read the other one: of `model` or `max_tokens` that would be a request at another price.
 */
export function requireDistinctMembers(body: Json, json: Uint8Array): void {
  const names = Object.keys(body);
  const distinct = new Set(names.map((name) => name.toLowerCase()));
  if (distinct.size === names.length && countMembers(json) === names.length) return;
  const seen = new Map<string, string>();
  for (const name of memberNames(json)) {
    const before = seen.get(name.toLowerCase());
    if (before !== undefined) throw ambiguous(before, name);
    seen.set(name.toLowerCase(), name);
  }
}

function ambiguous(one: string, other: string): AppError {
  const [shown, also] = [one, other].map((name) => JSON.stringify(name.slice(0, 100)));
  const found = one === other ? `${shown} twice` : `${also} beside ${shown}`;
  const message = `The body has ${found}, and the provider could read another one than the gateway; send one of them.`;
  return new AppError('InputError', message, {
    details: [{ location: `body.${other.slice(0, 100)}`, message }],
  });
}
