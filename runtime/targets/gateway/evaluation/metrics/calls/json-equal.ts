import { isObject } from '#core/json/is-object.ts';

/**
 * Maximum depth at which values are compared. Deeper values count as different, because arguments written by a
 * model could otherwise exhaust the stack.
 */
const MAX_DEPTH = 100;

/** Whether two JSON values are equal. The order of members has no meaning. */
export function isEqualJson(one: unknown, other: unknown, depth = 0): boolean {
  if (Object.is(one, other) || (one === 0 && other === 0)) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, at) => isEqualJson(item, other[at], depth + 1));
  }
  if (!isObject(one) || !isObject(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqualJson(one[name], other[name], depth + 1))
  );
}

/** Whether an object has all members of `part`, also in nested objects. Lists must be equal. */
export function containsJson(whole: unknown, part: unknown, depth = 0): boolean {
  if (!isObject(part)) return isEqualJson(whole, part, depth);
  if (!isObject(whole) || depth >= MAX_DEPTH) return false;
  return Object.entries(part).every(
    ([name, value]) => Object.hasOwn(whole, name) && containsJson(whole[name], value, depth + 1),
  );
}
