/**
 * Removes undefined members, so that they do not overwrite earlier values when the result is spread
 * into an object. Null is kept.
 */
export function omitUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(given) as ReturnType<typeof omitUndefined<Value>>;
}
