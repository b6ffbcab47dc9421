import { matchesAny } from '#core/text/name-pattern.ts';

/** What a filter looks at. */
export interface FilteredOperation {
  readonly method: string;
  readonly path: string;
  readonly operationId: string;
  readonly tags: readonly string[];
}

/**
 * Whether an operation matches one of the filters: `tag:NAME`, `METHOD /path`, `/path` or an operation ID, each with
 * `*` as a wildcard.
 */
export const matchesOperation = (filters: readonly string[], operation: FilteredOperation): boolean =>
  filters.some((filter) => matches(filter.trim(), operation));

function matches(filter: string, { method, path, operationId, tags }: FilteredOperation): boolean {
  if (filter === '*') return true;
  if (filter.startsWith('tag:')) return tags.some((tag) => matchesAny([filter.slice('tag:'.length)], tag));
  if (filter.startsWith('/')) return matchesAny([filter], path);
  const [, verb, rest] = /^(\S+) +(\S.*)$/.exec(filter) ?? [];
  if (verb !== undefined && rest !== undefined) return matchesAny([verb], method) && matchesAny([rest], path);
  return operationId !== '' && matchesAny([filter], operationId);
}
