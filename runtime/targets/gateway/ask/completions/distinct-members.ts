import { AppError } from '../../../../contract/errors.ts';
import type { JsonMember } from '../../shared/json-members.ts';

/**
 * Throws an InputError if two members of the request have the same name, ignoring case. The provider gets the same bytes and
 * could read the other member: for `model` or `max_tokens`, that would be a request at another price.
 */
export function requireDistinctMembers(members: readonly JsonMember[]): void {
  const seen = new Map<string, string>();
  for (const { name } of members) {
    const lower = name.toLowerCase();
    const before = seen.get(lower);
    if (before !== undefined) throw ambiguous(before, name);
    seen.set(lower, name);
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
