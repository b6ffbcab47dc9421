import { RUN_SCRIPT, type Scripts } from '../scripts/scripts.ts';
import { toolStub } from '../scripts/tool-stub.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { callTool, type CallParts } from './call-methods.ts';
import type { OwnTools } from './endpoint.ts';
import { type FindTools, SEARCH_PROPERTIES } from './find-tools.ts';
import { type McpCall, mcpServerCall, optionalObject, requiredParam } from './mcp-call.ts';
import type { ScriptRequests } from './script-requests.ts';
import { RPC_CODE, RpcError } from '#serve/mcp/rpc-error.ts';

const SEARCH_TOOL = {
  name: 'search_tools',
  title: 'Search tools',
  description: `Searches the tools of all MCP servers. Returns how a script calls them with ${RUN_SCRIPT}: arguments with types ("?" is optional, "=" the default) and the type of the result.`,
  inputSchema: {
    type: 'object',
    properties: {
      ...SEARCH_PROPERTIES,
      details: { type: 'boolean', description: 'Add descriptions of the arguments.', default: false },
    },
    required: ['query'],
  },
  annotations: { title: 'Search tools', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
};

const SCRIPT_TOOL = {
  name: RUN_SCRIPT,
  title: 'Run a script',
  description: [
    'Runs a Lua 5.4 script that calls tools, and returns the value that the script returns. Nothing else is returned, so combine several calls, and return only the data that you need.',
    'Call tools as search_tools shows them: local r = tools.server.tool{ name = "x" }. A result is a table, or a text if the tool returns no JSON; null is nil in objects and json.null in lists. A failed call raises an error; use pcall to continue.',
    'parallel(list, function(item) ... end) and parallel{ f1, f2 } run functions concurrently and return a list of their results.',
    'prompts.server.name{ arg = "x" } gets a prompt, and resources.server.read{ uri = "x" } reads a resource.',
    'Libraries: string, table, math, utf8, json.encode, json.decode.',
  ].join('\n'),
  inputSchema: {
    type: 'object',
    properties: { script: { type: 'string', description: 'Lua code.' } },
    required: ['script'],
  },
  annotations: { title: 'Run a script' },
};

/** Two tools: one searches all other tools, the other runs a script that calls them. */
export function codeMode(find: FindTools, scripts: Scripts, requests?: ScriptRequests): OwnTools {
  return {
    rule: `Find tools with search_tools, then call them in a Lua script with ${RUN_SCRIPT}.`,
    methods: (parts) => [
      ['tools/list', () => Promise.resolve({ tools: [SEARCH_TOOL, SCRIPT_TOOL] })],
      [
        'tools/call',
        async (call) => {
          const name = requiredParam(call.params, 'name');
          const args = optionalObject(call.params, 'arguments');
          if (name === SEARCH_TOOL.name) return await search(find, call, args);
          if (name === SCRIPT_TOOL.name)
            return await run({ scripts, requests, ...parts }, call, requiredParam(args, 'script'));
          // A client that already knows a tool's name can also use the name directly.
          return await callTool(parts, call, name, args);
        },
      ],
    ],
  };
}

async function search(find: FindTools, call: McpCall, args: ShapeOfParams): Promise<ShapeOfParams> {
  const details = args['details'] ?? false;
  if (typeof details !== 'boolean')
    throw new RpcError(RPC_CODE.invalidParams, '`details` must be a boolean.');
  const found = await find(call, args);
  const text = found.map(({ server, tool }) => toolStub(server, tool, { details })).join('\n');
  return { content: [{ type: 'text', text: text === '' ? 'No tools found. Try other words.' : text }] };
}

interface ScriptParts extends CallParts {
  readonly scripts: Scripts;
  /** Sends the calls of scripts through plugins; undefined if there are none. */
  readonly requests: ScriptRequests | undefined;
}

async function run(
  { scripts, requests, targets, longResults, endpoint, isListed = true }: ScriptParts,
  call: McpCall,
  source: string,
): Promise<ShapeOfParams> {
  const { server: _all, ...request } = mcpServerCall(call, '');
  const inspect = requests?.(call, { targets });
  const { result, used } = await scripts.run({ ...request, signal: call.signal, inspect }, source);
  return longResults.limit(call, result, { sources: used, endpoint, isListed });
}
