import { Type } from 'typebox';
import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import { closed } from '../../../../serve/http/schemas.ts';
import type { ManagerContext } from '../../context.ts';
import { callerOf } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { struct } from '../schemas/struct.ts';

const patterns = (description: string) => Type.Array(Type.String(), { description });
const group = closed('Group', {
  name: Type.String(),
  servers: patterns('Patterns of servers.'),
  tools: patterns('Patterns `server/tool`; on a server that they mention, the group has only these tools.'),
  prompts: patterns('Patterns `server/prompt`.'),
  resources: patterns('Patterns `server/uri`.'),
});
const groupsBody = struct('Groups', { groups: Type.Array(group) });

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
