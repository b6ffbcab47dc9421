import { isObject } from '#core/json/is-object.ts';
import { isEqualJson } from './json-equal.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * Whether arguments match lists of accepted values, as in the Berkeley Function Calling Leaderboard: `{"city": ["Paris",
 * "Paris, France"], "unit": ["celsius", ""]}`. An empty string marks an argument that can be omitted or empty. Strings are
 * compared without spaces, case and the punctuation `,./-_*^`. In an accepted object, each member is a list of accepted
 * values again.
 */
export const acceptsOptions =
  (options: Members): ((given: unknown) => boolean) =>
  (given) =>
    isObject(given) && hasAccepted(options, given, isAccepted);

/** Whether each member has an accepted value, and no required member is missing. */
const hasAccepted = (
  options: Members,
  given: Members,
  accepts: (accepted: unknown, value: unknown) => boolean,
): boolean =>
  Object.entries(given).every(
    ([name, value]) =>
      Object.hasOwn(options, name) &&
      (listOf(options[name]).some((accepted) => accepts(accepted, value)) ||
        isEmptyList(listOf(options[name]), value)),
  ) &&
  Object.entries(options).every(
    ([name, accepted]) => Object.hasOwn(given, name) || listOf(accepted).includes(''),
  );

/** Whether a list is empty, and lists of this argument can be. */
const isEmptyList = (accepted: readonly unknown[], value: unknown): boolean =>
  Array.isArray(value) && value.length === 0 && accepted.includes('') && accepted.some(Array.isArray);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);

function isAccepted(accepted: unknown, value: unknown): boolean {
  if (isObject(accepted)) return isObject(value) && hasAccepted(accepted, value, isSame);
  if (!Array.isArray(accepted)) return isSame(accepted, value);
  return (
    Array.isArray(value) &&
    value.length === accepted.length &&
    accepted.every((item, at) =>
      isObject(item) ? isObject(value[at]) && hasAccepted(item, value[at], isSame) : isSame(item, value[at]),
    )
  );
}

const isSame = (accepted: unknown, value: unknown): boolean =>
  typeof accepted === 'string' && typeof value === 'string'
    ? standard(value) === standard(accepted)
    : isEqualJson(accepted, value);

const standard = (text: string): string =>
  text
    .replaceAll(/[ ,./\-_*^]/g, '')
    .toLowerCase()
    .replaceAll("'", '"');
