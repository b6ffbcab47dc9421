/** Returns the scopes of several lists, each once, in the order of their first occurrence. Undefined if there are none. */
export function mergeScopes(...lists: readonly (string | undefined)[]): string | undefined {
  const scopes = lists.flatMap((list) => list?.split(/\s+/) ?? []).filter((scope) => scope !== '');
  return scopes.length === 0 ? undefined : [...new Set(scopes)].join(' ');
}
