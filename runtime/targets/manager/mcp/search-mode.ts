import type { FoundTool } from '../calls/search.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import { callTool } from './call-methods.ts';
import type { OwnTools } from './endpoint.ts';
import { type FindTools, SEARCH_PROPERTIES } from './find-tools.ts';
import { optionalObject, requiredParam } from './mcp-call.ts';

const SEARCH_TOOL = {
  name: 'search_tools',
  title: 'Search tools',
  description:
    'Searches the tools of all MCP servers for words that describe a task. Returns their names and the schemas of their arguments, for call_tool.',
  inputSchema: { type: 'object', properties: SEARCH_PROPERTIES, required: ['query'] },
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
      arguments: { type: 'object', description: 'Arguments that match the tool’s inputSchema.' },
    },
    required: ['name'],
  },
  annotations: { title: 'Call a tool' },
};

/** Two tools that search and call all other tools, so that clients do not need the schemas of all tools. */
export function searchMode(find: FindTools): OwnTools {
  return {
    rule: 'Find a tool with search_tools, then call it with call_tool.',
    methods: (parts) => [
      ['tools/list', () => Promise.resolve({ tools: [SEARCH_TOOL, CALL_TOOL] })],
      [
        'tools/call',
        async (call) => {
          const name = requiredParam(call.params, 'name');
          const args = optionalObject(call.params, 'arguments');
          if (name === SEARCH_TOOL.name) {
            const structuredContent = { tools: (await find(call, args)).map(describe) };
            return {
              content: [{ type: 'text', text: JSON.stringify(structuredContent) }],
              structuredContent,
            };
          }
          // A client that already knows a tool's name can also use the name directly.
          if (name !== CALL_TOOL.name) return callTool(parts, call, name, args);
          return callTool(parts, call, requiredParam(args, 'name'), optionalObject(args, 'arguments'));
        },
      ],
    ],
  };
}

const describe = ({ name, tool: { title, description, inputSchema } }: FoundTool): ShapeOfParams => ({
  name,
  ...(title === undefined ? {} : { title }),
  ...(description === undefined ? {} : { description }),
  inputSchema: inputSchema ?? { type: 'object' },
});
