/** Removes fields that are undefined or null, or that contain an empty string, list or object. */
export function compact<Members extends object>(members: Members): Compact<Members> {
  return Object.fromEntries(
    Object.entries(members).filter(([, value]) => !isEmpty(value)),
  ) as Compact<Members>;
}

type Compact<Members> = { readonly [Key in keyof Members]?: NonNullable<Members[Key]> };

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return true;
  if (typeof value !== 'object') return false;
  return Array.isArray(value) ? value.length === 0 : Object.keys(value).length === 0;
}
