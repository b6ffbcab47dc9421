/** Merges lists of scopes, without duplicates, in order of first occurrence. Undefined if there are none. */
export function mergeScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = lists.flatMap((list) => list?.split(/\s+/) ?? []).filter((scope) => scope !== '');
  return scopes.length === 0 ? undefined : [...new Set(scopes)].join(' ');
}
