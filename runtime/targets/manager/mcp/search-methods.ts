import { messageOf } from '#contract/errors.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';
import type { FoundTool, ToolSearch } from '../calls/search-tools.ts';
import type { ManagerContext } from '../context.ts';
import type { Params } from '../shapes/shape.ts';
import { callTool } from './call-methods.ts';
import { type McpCall, type Method, optionalObject, requiredText } from './mcp-call.ts';
import type { Targets } from './targets.ts';

const MAX_RESULTS = 50;
const DEFAULT_RESULTS = 10;

const SEARCH_TOOL = {
  name: 'search_tools',
  title: 'Search tools',
  description:
    'Searches the tools of all MCP servers for words that describe a task. Returns their names and the schemas of their arguments, for call_tool.',
  inputSchema: {
    type: 'object',
    properties: {
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
    },
    required: ['query'],
  },
  outputSchema: {
    type: 'object',
    properties: {
      tools: {
        type: 'array',
        items: {
          type: 'object',
          properties: {
            name: { type: 'string' },
            title: { type: 'string' },
            description: { type: 'string' },
            inputSchema: { type: 'object' },
          },
          required: ['name', 'inputSchema'],
        },
      },
    },
    required: ['tools'],
  },
  annotations: { title: 'Search tools', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

const CALL_TOOL = {
  name: 'call_tool',
  title: 'Call a tool',
  description: 'Calls a tool that search_tools found, and returns its result.',
  inputSchema: {
    type: 'object',
    properties: {
      name: { type: 'string', description: 'Name of the tool from search_tools: server__tool.' },
      arguments: { type: 'object', description: 'Arguments according to the inputSchema of the tool.' },
    },
    required: ['name'],
  },
  annotations: { title: 'Call a tool' },
};

/** The methods of two tools that search and call all others, so that clients do not need the schemas of all tools. */
export function searchMethods(
  { calls, kernel }: ManagerContext,
  search: ToolSearch,
  targets: Targets,
): readonly (readonly [string, Method])[] {
  const find = async (call: McpCall, args: Params): Promise<Params> => {
    const found = await search.search(call.caller, requiredText(args, 'query'), limitOf(args), {
      ...call,
      onFailure: (server, reason) =>
        kernel.log.warn(
          { server, requestId: call.requestId, why: messageOf(reason) },
          'server omitted from search results',
        ),
    });
    const structuredContent = { tools: found.map(describe) };
    return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
  };
  return [
    ['tools/list', () => Promise.resolve({ tools: [SEARCH_TOOL, CALL_TOOL] })],
    [
      'tools/call',
      async (call) => {
        const name = requiredText(call.params, 'name');
        const args = optionalObject(call.params, 'arguments');
        if (name === SEARCH_TOOL.name) return find(call, args);
        // A client can also use the name of a tool directly, if it knows it from somewhere else.
        if (name !== CALL_TOOL.name) return callTool(calls, targets, call, name, args);
        return callTool(calls, targets, call, requiredText(args, 'name'), optionalObject(args, 'arguments'));
      },
    ],
  ];
}

function limitOf(args: Params): number {
  const limit = Number(args['limit'] ?? DEFAULT_RESULTS);
  if (Number.isInteger(limit) && limit >= 1 && limit <= MAX_RESULTS) return limit;
  throw new RpcError(RPC_CODE.invalidParams, `\`limit\` must be a whole number from 1 to ${MAX_RESULTS}.`);
}

const describe = ({ name, tool: { title, description, inputSchema } }: FoundTool): Params => ({
  name,
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
  inputSchema: inputSchema ?? { type: 'object' },
});
