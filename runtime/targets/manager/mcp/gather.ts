import { AppError, messageOf } from '../../../contract/errors.ts';
import type { Calls, Page, PageCall } from '../calls/call.ts';
import { askEach } from '../calls/ask-each.ts';
import type { ManagerContext } from '../context.ts';
import type { ListName } from '../shapes/check-list.ts';
import type { Params } from '../shapes/shape.ts';
import { isNotImplemented, type McpCall, serverCall } from './mcp-call.ts';
import type { ListedItem } from './page-cursor.ts';

/** A list that every server may have. */
export interface ListKind {
  readonly method: string;
  /** Also what the items are called in the result. */
  readonly list: ListName;
  /** What tells items of one server apart. */
  readonly key: string;
  /** A page of one server's list. */
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

/** Gives what all servers have of one kind, sorted by server; servers that do not answer in time are left out. */
export type Gather = (kind: ListKind, call: McpCall) => Promise<ListedItem[]>;

export const createGather =
  ({ calls, kernel }: ManagerContext, maxWaitMs?: number): Gather =>
  async ({ list, method, key }, call) => {
    const lists = await askEach(
      calls.servers(call.caller),
      (server) => calls.listAll({ ...serverCall(call, server), list, maxWaitMs }),
      {
        signal: call.signal,
        onFailure(server, reason) {
          if (isNotImplemented(reason)) return;
          const why = messageOf(reason);
          kernel.log.warn({ server, requestId: call.requestId, why }, `left out of ${method}`);
        },
      },
    );
    return lists.flatMap(({ server, answer }) =>
      answer.map((item): ListedItem => ({ server, key: String(item[key]), item })),
    );
  };

/** For clients of MCP a list without anything in it is no error. */
async function listTools(calls: Calls, call: PageCall): Promise<readonly Params[]> {
  try {
    return await calls.listTools(call);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFoundError') return [];
    throw error;
  }
}
