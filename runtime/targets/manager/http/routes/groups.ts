import { answerOf } from '#serve/http/openapi/describe.ts';
import type { ManagerContext } from '../../context.ts';
import { callerOf } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { groupsBody } from '../schemas/groups.ts';

/** `GET /api/v1/groups`: the groups whose endpoints the caller can use. */
export function groupRoutes({ groups }: ManagerContext, { answer }: HttpParts): ManagerRoutes {
  const routes = newRoutes();
  routes.get('/api/v1/groups', (c) => {
    const { groups: allowed } = callerOf(c);
    const found = groups.all().filter(({ name }) => allowed === undefined || allowed.includes(name));
    return answer(c, 'Groups', {
      groups: found.map(({ name, servers, tools, prompts, resources }) => ({
        name,
        servers,
        tools,
        prompts,
        resources,
      })),
    });
  });
  return {
    routes,
    operations: [
      {
        method: 'get',
        path: '/api/v1/groups',
        id: 'listGroups',
        tag: 'Servers',
        summary: 'List the groups of servers and tools that the caller can use.',
        description:
          'Each group has endpoints of its own: `/groups/{group}/mcp` and `/groups/{group}/api/v1`.',
        answer: answerOf('The groups.', groupsBody, {
          groups: [{ name: 'research', servers: ['time'], tools: ['git/log'], prompts: [], resources: [] }],
        }),
        errors: [],
      },
    ],
  };
}
