import { AppError, messageOf } from '#contract/errors.ts';
import type { Calls, Page, PageCall } from '../calls/call.ts';
import { queryServers } from '../calls/search.ts';
import type { ManagerContext } from '../context.ts';
import type { ListName } from '../shared/list-items.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { isNotImplemented, type McpCall, mcpServerCall } from './mcp-call.ts';
import type { ListedItem } from './page-cursor.ts';

/** A kind of server list. */
export interface ListKind {
  readonly method: string;
  /** The list's name. The field with the items in the result has the same name. */
  readonly list: ListName;
  /** The field that identifies an item within a server. */
  readonly key: string;
  /** Requests a page of one server's list. */
  readonly page: (calls: Calls, call: PageCall) => Promise<Page>;
}

export const LIST_KINDS = {
  tools: {
    method: 'tools/list',
    list: 'tools',
    key: 'name',
    page: async (calls, call) => ({ items: await listTools(calls, call), nextCursor: undefined }),
  },
  prompts: {
    method: 'prompts/list',
    list: 'prompts',
    key: 'name',
    page: (calls, call) => calls.listPrompts(call),
  },
  resources: {
    method: 'resources/list',
    list: 'resources',
    key: 'uri',
    page: (calls, call) => calls.listResources(call),
  },
  templates: {
    method: 'resources/templates/list',
    list: 'resourceTemplates',
    key: 'uriTemplate',
    page: (calls, call) => calls.listResourceTemplates(call),
  },
} satisfies Record<string, ListKind>;

/** Returns the items of all servers, sorted by server. Servers that do not respond in time are omitted. */
export type ListAllServers = (kind: ListKind, call: McpCall) => Promise<ListedItem[]>;

export const createListAllServers =
  ({ calls, kernel }: ManagerContext, maxWaitMs?: number): ListAllServers =>
  async ({ list, method, key }, call) => {
    const lists = await queryServers(
      calls.servers(call.caller),
      (server) => calls.listAll({ ...mcpServerCall(call, server), list, maxWaitMs }),
      {
        signal: call.signal,
        onFailure(server, reason) {
          if (isNotImplemented(reason)) return;
          const why = messageOf(reason);
          kernel.log.warn({ server, requestId: call.requestId, why }, `server omitted from ${method}`);
        },
      },
    );
    return lists.flatMap(({ server, result }) =>
      result.map((item): ListedItem => ({ server, key: String(item[key]), item })),
    );
  };

/** Lists a server's tools. For MCP clients, an empty list is not an error. */
async function listTools(calls: Calls, call: PageCall): Promise<readonly ShapeOfParams[]> {
  try {
    return await calls.listTools(call);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFoundError') return [];
    throw error;
  }
}
