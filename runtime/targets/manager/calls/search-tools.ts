import type { Caller } from '../access/caller.ts';
import { type Calls, isTool, type UpstreamTool } from './call.ts';
import { createSearch, type Search } from './search.ts';
import { SEARCH_KINDS } from './search-kinds.ts';
import { qualifiedToolName } from './tool-name.ts';

export interface FoundTool {
  readonly server: string;
  /** `server__tool`, or a mapped name that clients accept. */
  readonly name: string;
  /** The tool as the server sent it. */
  readonly tool: UpstreamTool;
}

export interface ToolSearch {
  /** Returns the best matches first; with an empty query, the first tools of the list. */
  search(
    caller: Caller,
    query: string,
    limit: number,
    request: Parameters<Search['search']>[3],
  ): Promise<FoundTool[]>;
}

/** Searches the tools of all servers. */
export function createToolSearch(calls: Calls): ToolSearch {
  const tools = createSearch(calls, SEARCH_KINDS.tools);
  return {
    search: async (...request) =>
      (await tools.search(...request)).flatMap(({ server, item }) =>
        isTool(item) ? [{ server, name: qualifiedToolName(server, item.name), tool: item }] : [],
      ),
  };
}
