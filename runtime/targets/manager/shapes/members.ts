import { Malformed, type Params, refuse, type Shape } from './shape.ts';
import { isRecord } from './values.ts';

type Shapes = Readonly<Record<string, Shape>>;
type ShapedBy<Own extends Shapes> = Params & { readonly [Name in keyof Own]: ReturnType<Own[Name]> };

/** An object with these members; others stay as they are. */
export function objectOf<Own extends Shapes>(shapes: Own): Shape<ShapedBy<Own>> {
  const entries = Object.entries(shapes);
  return (value) => {
    if (!isRecord(value)) return refuse(value, 'an object');
    let repaired: Record<string, unknown> | undefined;
    for (const [key, shape] of entries) {
      const given = value[key];
      const right = checked(shape, given, key);
      if (right === given && (right !== undefined || !(key in value))) continue;
      repaired ??= { ...value };
      if (right === undefined) delete repaired[key];
      else repaired[key] = right;
    }
    return (repaired ?? value) as ShapedBy<Own>;
  };
}

/** A list of such items; `most` is how many there can be. */
export const listOf =
  <Item>(shape: Shape<Item>): Shape<readonly Item[]> =>
  (value) => {
    if (!Array.isArray(value)) return refuse(value, 'a list');
    const items = value.map((item, at) => checked(shape, item, at));
    return items.some((item, at) => item !== value[at]) ? items : value;
  };

/** A list from which invalid items are left out: only for what clients can do without. */
export const listOfValid =
  <Item>(shape: Shape<Item | undefined>): Shape<readonly Item[]> =>
  (value) => {
    if (!Array.isArray(value)) return refuse(value, 'a list');
    return value.map(hint(shape)).filter((item) => item !== undefined);
  };

/** A member that can be missing. Null is taken for missing: it is how many languages write a member without a value. */
export const optional =
  <Result>(shape: Shape<Result>): Shape<Result | undefined> =>
  (value) =>
    value === undefined || value === null ? undefined : shape(value);

/** A member that can be missing and that clients can do without: left out also if it is invalid. */
export const hint =
  <Result>(shape: Shape<Result>): Shape<Result | undefined> =>
  (value) => {
    if (value === undefined || value === null) return undefined;
    try {
      return shape(value);
    } catch (error) {
      if (error instanceof Malformed) return undefined;
      throw error;
    }
  };

function checked<Result>(shape: Shape<Result>, value: unknown, key: string | number): Result {
  try {
    return shape(value);
  } catch (error) {
    throw error instanceof Malformed ? error.within(key) : error;
  }
}
