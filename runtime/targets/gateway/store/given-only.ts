/** The columns that have a value; null is one. */
export function givenOnly<Columns extends object>(
  columns: Columns,
): { [Column in keyof Columns]?: Exclude<Columns[Column], undefined> } {
  const given = Object.entries(columns).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as ReturnType<typeof givenOnly<Columns>>;
}
