import { Type } from 'typebox';
import { admit } from '#serve/lifecycle.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { oneOf } from '#serve/http/schemas.ts';
import type { ManagerContext } from '../../context.ts';
import { answerRequest } from '#serve/http/fetch-exchange.ts';
import { callerOf, serverCall } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { wordOf } from '#serve/http/query.ts';
import { minimalToolsBody, toolArguments, toolsBody, toolSummariesBody } from '../schemas/tools.ts';
import { type AnswerToolCall, RESULT_ANSWERS, RESULT_PARAMETER } from '../call-tool.ts';
import { DETAILS, TOOL_VIEWS } from '../views/tool-view.ts';
import { serverName, UPSTREAM_ERRORS } from './operations.ts';

const TYPES = {
  minimal: 'ToolsResponseBodyToolMinimal',
  summary: 'ToolsResponseBodyToolSummary',
  full: 'ToolsResponseBodyTool',
} as const;

export const TOOL_ROUTE = '/api/v1/servers/:server/tools/:tool';

/** `/api/v1/servers/{name}/tools`: listing tools, and calling them. */
export function toolRoutes(
  { calls, kernel }: ManagerContext,
  { answer }: HttpParts,
  callTool: AnswerToolCall,
): ManagerRoutes {
  const routes = newRoutes();

  routes.get('/api/v1/servers/:name/tools', admit(kernel.lifecycle), async (c) => {
    const detail = wordOf(c, 'detail', DETAILS, 'full');
    const tools = await calls.listTools(serverCall(c, c.req.param('name')));
    return answer(c, TYPES[detail], { tools: tools.map(TOOL_VIEWS[detail]) });
  });
  routes.post(TOOL_ROUTE, (c) =>
    answerRequest(c, (exchange) =>
      callTool(exchange, { caller: callerOf(c), requestId: c.get('requestId'), ...c.req.param() }),
    ),
  );

  return { routes, operations: [LIST, CALL] };
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

const LIST: Operation = {
  method: 'get',
  path: '/api/v1/servers/{name}/tools',
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
  errors: [...UPSTREAM_ERRORS, 422],
};

const CALL: Operation = {
  method: 'post',
  path: '/api/v1/servers/{server}/tools/{tool}',
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
  errors: [...BODY_ERRORS, ...UPSTREAM_ERRORS],
};
