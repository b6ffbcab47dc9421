import { isObject } from '../../../core/json/is-object.ts';
import MiniSearch from 'minisearch';
import type { Caller } from '../access/caller.ts';
import { type Calls, isTool, type UpstreamTool } from './call.ts';
import { askEach } from './ask-each.ts';
import { qualify } from './qualified-name.ts';
import { qualifiedToolName } from './tool-name.ts';

export interface FoundTool {
  readonly server: string;
  /** `server__tool`, or a mapped name that clients accept. */
  readonly name: string;
  /** As the server sent it. */
  readonly tool: UpstreamTool;
}

interface SearchRequest {
  readonly requestId: string;
  readonly signal?: AbortSignal | undefined;
  /** Told of each server that could not be asked; what it has is not found. */
  readonly onFailure: (server: string, reason: unknown) => void;
}

export interface ToolSearch {
  /** The tools that fit the words best, best first; without words the first ones there are. */
  search(caller: Caller, query: string, limit: number, request: SearchRequest): Promise<FoundTool[]>;
}

/** Indexes of so many callers are kept: to make one takes a tenth of a second for a thousand tools. */
const MAX_INDEXES = 16;

/** Finds tools of all servers by what they are called, what they say of themselves, and what they take. */
export function createToolSearch(calls: Calls): ToolSearch {
  const indexes = new Map<string, ToolIndex>();
  const indexOf = (caller: Caller, tools: readonly FoundTool[]): MiniSearch => {
    const rows = tools.map(texts);
    const content = JSON.stringify(rows);
    const known = indexes.get(caller.name);
    const index = known?.content === content ? known.index : makeIndex(rows);
    indexes.delete(caller.name);
    indexes.set(caller.name, { content, index });
    for (const oldest of [...indexes.keys()].slice(0, -MAX_INDEXES)) indexes.delete(oldest);
    return index;
  };
  return {
    async search(caller, query, limit, { requestId, signal, onFailure }) {
      const answers = await askEach(
        calls.servers(caller),
        async (server) => {
          const items = await calls.listAll({ caller, server, requestId, signal, list: 'tools' });
          return items.filter(isTool);
        },
        { signal, onFailure },
      );
      const tools = answers.flatMap(({ server, answer }) =>
        answer.map((tool): FoundTool => ({ server, name: qualifiedToolName(server, tool.name), tool })),
      );
      if (query.trim() === '') return tools.slice(0, limit);
      const found = indexOf(caller, tools).search(query);
      return found.slice(0, limit).flatMap(({ id }) => tools[Number(id)] ?? []);
    },
  };
}

interface ToolIndex {
  /** What is in it, to know when it is old. */
  readonly content: string;
  readonly index: MiniSearch;
}

function makeIndex(rows: readonly Record<string, string>[]): MiniSearch {
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

/** Names and descriptions of the parameters. */
function parameterTexts(schema: unknown): string[] {
  if (!isObject(schema) || !isObject(schema['properties'])) return [];
  return Object.entries(schema['properties']).flatMap(([name, property]) => [
    name,
    isObject(property) ? asText(property['description']) : '',
  ]);
}

/** Also finds the words inside `getCurrentTime` and `get_current_time`. */
function words(text: string): string[] {
  const apart = text.replaceAll(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  return apart.split(/[^\p{L}\p{N}]+/u).filter((word) => word !== '');
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : '');
