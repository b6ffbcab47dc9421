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

const [LEAST, MOST, USUAL] = [1, 1000, 20];

/** `GET /api/v1/tools`: finds tools of all servers. */
export function searchRoutes({ calls, kernel }: ManagerContext, { answer }: HttpParts): ManagerRoutes {
  const search = createToolSearch(calls);
  const routes = newRoutes();

  routes.get('/api/v1/tools', admit(kernel.lifecycle), async (c) => {
    const query = requiredText(c, 'q', 'say what to search for, as `?q=current time`');
    const limit = wholeNumberOf(c, 'limit', { min: LEAST, max: MOST, fallback: USUAL });
    const found = await search.search(callerOf(c), query, limit, {
      requestId: c.get('requestId'),
      signal: c.req.raw.signal,
      // One server that fails is no reason to find nothing; its own status tells why.
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
  summary: 'Finds tools of all servers.',
  description:
    'Looks for words in names, titles, descriptions and parameters. Servers that do not answer are left out.',
  parameters: [
    { name: 'q', in: 'query', required: true, description: 'What to look for.', example: 'current time' },
    {
      name: 'limit',
      in: 'query',
      description: 'How many tools at most.',
      example: USUAL,
      schema: wholeNumber(LEAST, MOST, USUAL),
    },
  ],
  answer: answerOf('The tools that fit.', foundToolsBody, {
    tools: [{ server: 'time', name: 'get_current_time', description: 'The present time in a time zone.' }],
  }),
  errors: [422],
};
