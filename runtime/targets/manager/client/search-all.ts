import { apiPath, type ManagerClient, withQuery } from './manager-client.ts';

interface SearchWords {
  readonly query: string;
  readonly limit: number;
}

/** What a command prints: the items of one server, or those that a search over all servers finds. */
export type ListOrSearch = ({ readonly server: string } | { readonly search: SearchWords }) & {
  readonly json: boolean;
};

/** Returns the items that a search over all servers finds, with the names of their servers. */
export async function searchAll(
  manager: ManagerClient,
  list: 'prompts' | 'resources',
  { query, limit }: SearchWords,
): Promise<readonly object[]> {
  const answer = await manager.get(withQuery(apiPath(list), { q: query, limit: String(limit) }));
  return (answer as Readonly<Record<string, readonly object[]>>)[list] ?? [];
}
