import * as fc from 'fast-check';

/** Unexpected values for a member. */
const ODD: readonly unknown[] = [5, -9, '21', null, {}, [null], [], 'x', true, undefined];

type Path = readonly (string | number)[];

/** Copies of this JSON with one, two or three members replaced or missing. */
export function mutated(value: unknown): fc.Arbitrary<unknown> {
  // Never replaces the whole value.
  const paths = pathsIn(value).slice(1);
  const change = fc.tuple(fc.constantFrom(...paths), fc.constantFrom(...ODD));
  return fc
    .array(change, { minLength: 0, maxLength: 3 })
    .map((changes) => changes.reduce((left, [path, odd]) => replaced(left, path, odd), value));
}

function pathsIn(value: unknown): Path[] {
  if (typeof value !== 'object' || value === null) return [[]];
  const members = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
  return [[], ...members.flatMap(([name, member]) => pathsIn(member).map((path) => [name, ...path]))];
}

function replaced(value: unknown, [name, ...rest]: Path, odd: unknown): unknown {
  if (name === undefined) return odd;
  // An earlier change has removed its parent.
  if (typeof value !== 'object' || value === null || !(name in value)) return value;
  const member = replaced((value as Record<string | number, unknown>)[name], rest, odd);
  if (Array.isArray(value)) return value.map((item: unknown, at) => (at === name ? member : item));
  return { ...value, [name]: member };
}
