import { AppError, messageOf } from '../../../contract/errors.ts';
import type { Calls, Page, PageCall, ServerCall } from '../calls/api.ts';
import { askEach } from '../calls/ask-each.ts';
import { listAllPages } from '../calls/list-pages.ts';
import type { ManagerContext } from '../context.ts';
import type { Params } from '../upstream/connection.ts';
import { isNotImplemented, type McpCall, serverCall } from './mcp-call.ts';
import type { ListedItem } from './page-cursor.ts';

/** A list that every server may have. */
export interface ListKind {
  readonly method: string;
  /** What the items are called in the result. */
  readonly member: string;
  /** What tells items of one server apart. */
  readonly key: string;
  readonly page: (calls: Calls, call: PageCall) => Promise<Page>;
}

export const LIST_KINDS = {
  tools: {
    method: 'tools/list',
    member: 'tools',
    key: 'name',
    page: async (calls, call) => ({ items: await listTools(calls, call), nextCursor: undefined }),
  },
  prompts: {
    method: 'prompts/list',
    member: 'prompts',
    key: 'name',
    page: (calls, call) => calls.listPrompts(call),
  },
  resources: {
    method: 'resources/list',
    member: 'resources',
    key: 'uri',
    page: (calls, call) => calls.listResources(call),
  },
  templates: {
    method: 'resources/templates/list',
    member: 'resourceTemplates',
    key: 'uriTemplate',
    page: (calls, call) => calls.listResourceTemplates(call),
  },
} satisfies Record<string, ListKind>;

/** A server that has not told its list by then is left out, for it must not hold up the others'. */
const LIST_TIMEOUT = 10_000;

/** Gives what all servers have of one kind, sorted by server; servers that do not answer are left out. */
export type Gather = (kind: ListKind, call: McpCall) => Promise<ListedItem[]>;

export const createGather =
  ({ calls, kernel }: ManagerContext, timeoutMs = LIST_TIMEOUT): Gather =>
  async (kind, call) => {
    const inTime = { ...call, signal: AbortSignal.any([call.signal, AbortSignal.timeout(timeoutMs)]) };
    const lists = await askEach(
      calls.servers(call.caller),
      (server) => allItems(calls, kind, serverCall(inTime, server)),
      {
        signal: call.signal,
        onFailure(server, reason) {
          if (isNotImplemented(reason)) return;
          const why = messageOf(reason);
          kernel.log.warn({ server, requestId: call.requestId, why }, `left out of ${kind.method}`);
        },
      },
    );
    return lists.flatMap(({ server, answer }) =>
      answer.map((item) => ({ server, key: String(item[kind.key]), item })),
    );
  };

const allItems = (calls: Calls, kind: ListKind, call: ServerCall): Promise<Params[]> =>
  listAllPages('items', async (cursor) => ({ ...(await kind.page(calls, { ...call, cursor })) }));

/** For clients of MCP a list without anything in it is no error. */
async function listTools(calls: Calls, call: ServerCall): Promise<readonly Params[]> {
  try {
    return await calls.listTools(call);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFoundError') return [];
    throw error;
  }
}
