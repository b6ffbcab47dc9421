import { Malformed, type Params, refuse, type Shape } from './shape.ts';
import { isRecord } from './values.ts';

type Shapes = Readonly<Record<string, Shape>>;
type ShapedBy<Own extends Shapes> = Params & { readonly [Name in keyof Own]: ReturnType<Own[Name]> };

/** An object with these members; other members are not changed. */
export function objectOf<Own extends Shapes>(shapes: Own): Shape<ShapedBy<Own>> {
  const entries = Object.entries(shapes);
  return (value) => {
    if (!isRecord(value)) return refuse(value, 'an object');
    let repaired: Record<string, unknown> | undefined;
    for (const [key, shape] of entries) {
      const received = value[key];
      const valid = checked(shape, received, key);
      if (valid === received && (valid !== undefined || !(key in value))) continue;
      repaired ??= { ...value };
      if (valid === undefined) delete repaired[key];
      else repaired[key] = valid;
    }
    return (repaired ?? value) as ShapedBy<Own>;
  };
}

/** A list of items with this shape. */
export const listOf =
  <Item>(shape: Shape<Item>): Shape<readonly Item[]> =>
  (value) => {
    if (!Array.isArray(value)) return refuse(value, 'a list');
    const items = value.map((item, at) => checked(shape, item, at));
    return items.some((item, at) => item !== value[at]) ? items : value;
  };

/** A list from which invalid items are removed. Only for items that clients do not need. */
export const listOfValid =
  <Item>(shape: Shape<Item | undefined>): Shape<readonly Item[]> =>
  (value) => {
    if (!Array.isArray(value)) return refuse(value, 'a list');
    return value.map(hint(shape)).filter((item) => item !== undefined);
  };

/** An optional member. Null counts as missing, because many languages write it for a member without a value. */
export const optional =
  <Result>(shape: Shape<Result>): Shape<Result | undefined> =>
  (value) =>
    value === undefined || value === null ? undefined : shape(value);

/** An optional member that clients do not need: it is also removed if it is invalid. */
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
