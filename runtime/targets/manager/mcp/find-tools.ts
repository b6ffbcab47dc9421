import { messageOf } from '#contract/errors.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { FoundTool, ToolSearch } from '../calls/search.ts';
import type { ManagerContext } from '../context.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { type McpCall, requiredParam } from './mcp-call.ts';

const MAX_RESULTS = 50;
const DEFAULT_RESULTS = 10;

/** The arguments of `search_tools`. */
export const SEARCH_PROPERTIES = {
  query: {
    type: 'string',
    description: 'Words that describe the task. An empty query returns the first tools.',
  },
  limit: {
    type: 'integer',
    description: 'Maximum number of tools to return.',
    minimum: 1,
    maximum: MAX_RESULTS,
    default: DEFAULT_RESULTS,
  },
};

/** Finds the tools for the arguments of `search_tools`, best first. */
export type FindTools = (call: McpCall, args: ShapeOfParams) => Promise<readonly FoundTool[]>;

export const createFindTools =
  ({ kernel }: ManagerContext, search: ToolSearch): FindTools =>
  async (call, args) =>
    await search.search(call.caller, requiredParam(args, 'query'), limitOf(args), {
      ...call,
      onFailure: (server, reason) =>
        kernel.log.warn(
          { server, requestId: call.requestId, why: messageOf(reason) },
          'server omitted from search results',
        ),
    });

function limitOf(args: ShapeOfParams): number {
  const limit = Number(args['limit'] ?? DEFAULT_RESULTS);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_RESULTS) return limit;
  throw new RpcError(RPC_CODE.invalidParams, `\`limit\` must be a whole number from 1 to ${MAX_RESULTS}.`);
}
