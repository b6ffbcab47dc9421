import { admit } from '../../../../serve/http/admit.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import type { ManagerContext } from '../../context.ts';
import { createToolSearch } from '../../calls/search.ts';
import { callerOf } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { requiredText, wholeNumberOf } from '../../../../serve/http/query.ts';
import { answerOf, wholeNumber } from '../../../../serve/http/openapi/describe.ts';
import { foundToolsBody } from '../schemas/search.ts';
import { TOOL_VIEWS } from '../views/tool-view.ts';

const LIMIT = { min: 1, max: 1000, fallback: 20 };

/** `GET /api/v1/tools`: searches the tools of all servers. */
export function searchRoutes({ calls, kernel }: ManagerContext, { answer }: HttpParts): ManagerRoutes {
  const search = createToolSearch(calls);
  const routes = newRoutes();

  routes.get('/api/v1/tools', admit(kernel.lifecycle), async (c) => {
    const query = requiredText(c, 'q', 'set it to the words to search for, e.g. `?q=current time`');
    const limit = wholeNumberOf(c, 'limit', LIMIT);
    const found = await search.search(callerOf(c), query, limit, {
      requestId: c.get('requestId'),
      signal: c.req.raw.signal,
      // A server that fails is omitted; its status contains the reason.
      onFailure: () => undefined,
    });
    const tools = found.map(({ server, tool }) => ({ server, ...TOOL_VIEWS.summary(tool) }));
    return answer(c, 'FoundTools', { tools });
  });

  return { routes, operations: [SEARCH] };
}

const SEARCH: Operation = {
  method: 'get',
  path: '/api/v1/tools',
  id: 'searchTools',
  tag: 'Tools',
  summary: 'Search the tools of all servers.',
  description:
    'Searches names, titles, descriptions and parameters. Servers that do not respond are omitted.',
  parameters: [
    { name: 'q', in: 'query', required: true, description: 'Words to search for.', example: 'current time' },
    {
      name: 'limit',
      in: 'query',
      description: 'Maximum number of tools.',
      example: LIMIT.fallback,
      schema: wholeNumber(LIMIT.min, LIMIT.max, LIMIT.fallback),
    },
  ],
  answer: answerOf('The matching tools.', foundToolsBody, {
    tools: [{ server: 'time', name: 'get_current_time', description: 'Current time in a time zone.' }],
  }),
  errors: [422],
};
