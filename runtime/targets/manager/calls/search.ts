import { isObject } from '../../../core/json/is-object.ts';
import MiniSearch from 'minisearch';
import type { Caller } from '../access/caller.ts';
import { type Calls, isTool, type UpstreamTool } from './call.ts';
import { queryServers } from './query-servers.ts';
import { qualify } from './qualified-name.ts';
import { qualifiedToolName } from './tool-name.ts';

export interface FoundTool {
  readonly server: string;
  /** `server__tool`, or a mapped name that clients accept. */
  readonly name: string;
  /** The tool as the server sent it. */
  readonly tool: UpstreamTool;
}

interface SearchRequest {
  readonly requestId: string;
  readonly signal?: AbortSignal | undefined;
  /** Called for each server whose tools are not searched, because it failed. */
  readonly onFailure: (server: string, reason: unknown) => void;
}

export interface ToolSearch {
  /** Returns the best matches first; with an empty query, the first tools of the list. */
  search(caller: Caller, query: string, limit: number, request: SearchRequest): Promise<FoundTool[]>;
}

/** Number of cached indexes, one per caller. Creating one takes a tenth of a second for a thousand tools. */
const MAX_INDEXES = 16;

/** Searches the tools of all servers by their names, titles, descriptions and parameters. */
export function createToolSearch(calls: Calls): ToolSearch {
  const indexes = new Map<string, ToolIndex>();
  const indexOf = (caller: Caller, tools: readonly FoundTool[]): MiniSearch => {
    const key = `${caller.group ?? ''} ${caller.name}`;
    const known = indexes.get(key);
    const current = known && isSame(known.tools, tools) ? { ...known, tools } : updated(known, tools);
    indexes.delete(key);
    indexes.set(key, current);
    for (const oldest of [...indexes.keys()].slice(0, -MAX_INDEXES)) indexes.delete(oldest);
    return current.index;
  };
  return {
    async search(caller, query, limit, { requestId, signal, onFailure }) {
      const results = await queryServers(
        calls.servers(caller),
        async (server) => {
          const items = await calls.listAll({ caller, server, requestId, signal, list: 'tools' });
          return items.filter(isTool);
        },
        { signal, onFailure },
      );
      const tools = results.flatMap(({ server, result }) =>
        result.map((tool): FoundTool => ({ server, name: qualifiedToolName(server, tool.name), tool })),
      );
      if (query.trim() === '') return tools.slice(0, limit);
      const found = indexOf(caller, tools).search(query);
      return found.slice(0, limit).flatMap(({ id }) => tools[Number(id)] ?? []);
    },
  };
}

interface ToolIndex {
  readonly tools: readonly FoundTool[];
  /** The indexed texts; the index is outdated when they change. */
  readonly content: string;
  readonly index: MiniSearch;
}

/** Cached lists contain the same objects, which is faster to find out than whether their texts are equal. */
const isSame = (one: readonly FoundTool[], other: readonly FoundTool[]): boolean =>
  one.length === other.length &&
  one.every(({ server, tool }, at) => tool === other[at]?.tool && server === other[at].server);

/** New lists often have the same texts as before. */
function updated(known: ToolIndex | undefined, tools: readonly FoundTool[]): ToolIndex {
  const rows = tools.map(texts);
  const content = JSON.stringify(rows);
  return { tools, content, index: known?.content === content ? known.index : createIndex(rows) };
}

function createIndex(rows: readonly Record<string, string>[]): MiniSearch {
  const index = new MiniSearch({
    fields: ['name', 'title', 'description', 'parameters'],
    tokenize: words,
    searchOptions: { boost: { name: 4, title: 3, parameters: 0.5 }, prefix: true, fuzzy: 0.2 },
  });
  index.addAll(rows.map((row, id) => ({ id, ...row })));
  return index;
}

function texts({ server, tool }: FoundTool): Record<string, string> {
  const annotations = isObject(tool['annotations']) ? tool['annotations'] : {};
  return {
    name: qualify(server, tool.name),
    title: `${asText(tool['title'])} ${asText(annotations['title'])}`,
    description: asText(tool['description']),
    parameters: parameterTexts(tool['inputSchema']).join(' '),
  };
}

/** Returns names and descriptions of the parameters of a tool. */
function parameterTexts(schema: unknown): string[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([name, property]) => [
    name,
    isObject(property) ? asText(property['description']) : '',
  ]);
}

/** Splits a text into words, including those inside `getCurrentTime` and `get_current_time`. */
function words(text: string): string[] {
  const spaced = text.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return spaced.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
