import type { Operation } from './operation.ts';

/**
 * Each path's query parameters that are lists, for paths without a trailing slash. No path with
 * path parameters has lists.
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
