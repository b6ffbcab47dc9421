/** Removes undefined members, so that spreading the result keeps earlier values; null counts as a value. */
export function omitUndefined<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(given) as ReturnType<typeof omitUndefined<Value>>;
}
