import { Type } from 'typebox';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { ManagerContext } from '../../context.ts';
import type { ManagerAppOptions } from '../app-options.ts';
import { AppError } from '#contract/errors.ts';
import { isCaller } from '../../access/caller.ts';
import { serverCall } from '../env.ts';
import { directRoute, type Route } from '#serve/http/route.ts';
import type { HttpParts } from '../parts.ts';
import { wordOf } from '#serve/http/query.ts';
import { minimalToolsBody, toolArguments, toolsBody, toolSummariesBody } from '../schemas/tools.ts';
import { createToolCallAnswer, RESULT_ANSWERS, RESULT_PARAMETER } from '../call-tool.ts';
import { DETAILS, TOOL_VIEWS } from '../views/tool-view.ts';
import { serverName } from './operations.ts';

const TYPES = {
  minimal: 'ToolsResponseBodyToolMinimal',
  summary: 'ToolsResponseBodyToolSummary',
  full: 'ToolsResponseBodyTool',
} as const;

/** `/api/v1/servers/{name}/tools`: listing tools, and calling them. */
export function toolRoutes(
  context: ManagerContext,
  { guards, route, answer }: HttpParts,
  options: ManagerAppOptions,
): readonly Route[] {
  const { calls } = context;
  const callTool = createToolCallAnswer(context, options);
  return [
    route({
      method: 'get',
      path: '/api/v1/servers/:name/tools',
      guard: guards.upstream,
      id: 'listTools',
      tag: 'Tools',
      summary: 'List the tools of a server.',
      parameters: [
        serverName,
        {
          name: 'detail',
          in: 'query',
          description:
            'Level of detail: `minimal` returns names and titles, `summary` also descriptions, `full` all members.',
          example: 'summary',
          schema: oneOf(DETAILS, { default: 'full' }),
        },
      ],
      answer: {
        description: 'The tools in the order of the server.',
        schema: Type.Union([toolsBody, toolSummariesBody, minimalToolsBody]),
        examples: { full: { tools: [TIME_TOOL] }, minimal: { tools: [{ name: 'get_current_time' }] } },
      },
      errors: [422],
      run: async (c) => {
        const detail = wordOf(c, 'detail', DETAILS, 'full');
        const tools = await calls.listTools(serverCall(c, c.req.param('name')));
        return answer(c, TYPES[detail], { tools: tools.map(TOOL_VIEWS[detail]) });
      },
    }),
    directRoute({
      method: 'post',
      path: '/api/v1/servers/:server/tools/:tool',
      guard: guards.upstream,
      id: 'callTool',
      tag: 'Tools',
      summary: 'Call a tool.',
      description:
        'Numbers are passed to the server exactly as they are written. If the client disconnects, the call is cancelled.',
      parameters: [
        { ...serverName, name: 'server' },
        { name: 'tool', description: 'Name of the tool (case-insensitive).', example: 'get_current_time' },
        RESULT_PARAMETER,
      ],
      request: { schema: toolArguments, examples: { arguments: { timezone: 'UTC' } } },
      ...RESULT_ANSWERS,
      errors: BODY_ERRORS,
      async direct({ exchange, requestId, caller, parts: [server = '', tool = ''] }) {
        if (!isCaller(caller)) throw new AppError('InternalError', 'A tool was called without a caller.');
        await callTool(exchange, { caller, server, tool, requestId });
      },
    }),
  ];
}

const TIME_TOOL = {
  name: 'get_current_time',
  description: 'Current time in a time zone.',
  inputSchema: {
    type: 'object',
    properties: { timezone: { type: 'string' } },
    required: ['timezone'],
  },
};
