/** The members that have a value, so that those below them show through; null is one. */
export function givenOnly<Value extends object>(
  value: Value,
): { [Key in keyof Value]?: Exclude<Value[Key], undefined> } {
  const given = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(given) as ReturnType<typeof givenOnly<Value>>;
}
