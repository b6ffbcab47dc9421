import type { Operation } from './operation.ts';

/**
 * For each path without a trailing slash, the query parameters that are lists. Paths with path
 * parameters do not have such query parameters.
 */
export function listParameters(
  operations: readonly Pick<Operation, 'path' | 'parameters'>[],
): (path: string) => ReadonlySet<string> | undefined {
  const byPath = new Map<string, ReadonlySet<string>>();
  for (const { path, parameters = [] } of operations) {
    const lists = parameters.filter(({ isList }) => isList).map(({ name }) => name);
    if (lists.length === 0) continue;
    if (path.includes('{')) throw new Error(`${path} has parameters, so its query cannot have lists.`);
    byPath.set(path.replace(/\/$/, ''), new Set(lists));
  }
  return (path) => byPath.get(path);
}
