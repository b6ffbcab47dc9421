import { commonOptions } from '#serve/cli/common-options.ts';
import { type Invocation, type Option, UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { requiredNumber } from '#serve/cli/values.ts';

/** A search across all servers. */
export interface SearchWords {
  readonly query: string;
  readonly limit: number;
}

/** Options for commands that list one server's items or search the items of all servers. */
export const searchOptions = (plural: string): Readonly<Record<string, Option>> => ({
  search: { value: 'words', help: `Search the ${plural} of all servers; the best matches come first` },
  ...commonOptions({ limit: { help: `Maximum number of ${plural}, with --search`, fallback: '20' } }),
});

/** Reads the search options; undefined if no search is requested. */
export function searchFlags(invocation: Invocation): SearchWords | undefined {
  const query = invocation.value('search');
  const limit = requiredNumber(invocation, 'limit', { min: 1, max: 1000 });
  if (query === undefined) return undefined;
  if (invocation.positionals.length > 0)
    throw new UsageError('--search covers all servers and conflicts with <server>; use one of them.');
  return { query, limit };
}

/** The server whose items to list, or the search. */
export function serverOrSearch(
  invocation: Invocation,
): { readonly server: string } | { readonly search: SearchWords } {
  const search = searchFlags(invocation);
  if (search) return { search };
  const [server] = exactly(invocation, '<server>');
  return { server };
}
