import { answerOf } from '#serve/http/openapi/describe.ts';
import type { ManagerContext } from '../../context.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { compact } from '../views/compact.ts';
import { groupsBody } from '../schemas/groups.ts';

/** `GET /api/v1/groups`: the groups whose endpoints the caller can use. */
export function groupRoutes(
  { groups }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/groups',
      guard: guards.caller,
      id: 'listGroups',
      tag: 'Servers',
      summary: 'List the groups of servers and tools that the caller can use.',
      description: 'Each group has its own endpoints: `/groups/{group}/mcp` and `/groups/{group}/api/v1`.',
      answer: answerOf('The groups.', groupsBody, {
        groups: [{ name: 'research', servers: ['time'], tools: ['git/log'], prompts: [], resources: [] }],
      }),
      run: (c) => {
        const { groups: allowed } = callerOfRequest(c);
        const found = groups.all().filter(({ name }) => allowed === undefined || allowed.includes(name));
        return {
          groups: found.map(({ name, servers, tools, prompts, resources, mcpMode }) => ({
            name,
            servers,
            tools,
            prompts,
            resources,
            ...compact({ mcpMode }),
          })),
        };
      },
    }),
  ];
}
