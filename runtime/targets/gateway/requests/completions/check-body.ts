import { AppError } from '#contract/errors.ts';
import { repeatedName } from '#core/json/repeated-name.ts';
import type { JsonMember } from '../../shared/json-members.ts';
import type { Json } from '../../providers/shapes/chat.ts';

/**
 * Throws an InputError if two members of the request have the same name, ignoring case. The bytes are sent unchanged, and the
 * provider could read the other member: for `model` or `max_tokens`, the request would have a different price.
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

/**
 * Throws an InputError if an object inside the body has a name twice. `parsed` is the number of members of all objects in the parsed
 * body, where the last of them has replaced the others.
 */
export function requireDistinctInside(
  bytes: Uint8Array,
  members: readonly JsonMember[],
  parsed: number,
): void {
  const written = members.reduce((sum, { inside }) => sum + inside, members.length);
  if (written === parsed) return;
  const name = repeatedName(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8')) ?? '';
  throw ambiguous(name, name);
}

function ambiguous(one: string, other: string): AppError {
  const [shown, also] = [one, other].map((name) => JSON.stringify(name.slice(0, 100)));
  const found = one === other ? `${shown} twice` : `both ${shown} and ${also}`;
  const message = `The body has ${found}, so the provider could read a different one than the gateway. Send only one.`;
  return new AppError('InputError', message, {
    details: [{ location: `body.${other.slice(0, 100)}`, message }],
  });
}

/** Returns the name of the model. Throws an InputError if it has an unpaired surrogate, which JSON can contain but a URL cannot. */
export function requireWellFormedModel({ model }: Json): string {
  if (typeof model === 'string' && model.isWellFormed()) return model;
  const message = 'model must be valid Unicode; it contains an unpaired surrogate';
  throw new AppError('InputError', message, { details: [{ location: 'body.model', message }] });
}

/** Members in which aggregators such as OpenRouter take further models, one of which answers if the first one fails. */
export const FURTHER_MODELS = ['models', 'fallbacks', 'fallback_models', 'fallbackModels'];

/** Throws an InputError if the request names further models: permissions, prices and limits are those of `model`. */
export function requireOneModel(body: Json): void {
  const name = FURTHER_MODELS.find((one) => Array.isArray(body[one]) && body[one].length > 0);
  if (name === undefined) return;
  const message = `${name} names further models, but the permissions and the price of a request are those of its model. Use an alias with fallbacks.`;
  throw new AppError('InputError', message, { details: [{ location: `body.${name}`, message }] });
}
