import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';

interface SearchWords {
  readonly query: string;
  readonly limit: number;
}

/** What a command prints: the items of one server, or search results from all servers. */
export type ListOrSearch = ({ readonly server: string } | { readonly search: SearchWords }) & {
  readonly json: boolean;
};

/** Searches all servers; returns the matching items with their server names. */
export async function searchAll(
  manager: ManagerClient,
  list: 'prompts' | 'resources',
  { query, limit }: SearchWords,
): Promise<readonly object[]> {
  const answer = await manager.get(withQuery(apiPath(list), { q: query, limit: String(limit) }));
  return (answer as Readonly<Record<string, readonly object[]>>)[list] ?? [];
}
