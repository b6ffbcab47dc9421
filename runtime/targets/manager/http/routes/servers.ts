import { answerOf } from '#serve/http/openapi/describe.ts';
import { Type } from 'typebox';
import type { ManagerContext } from '../../context.ts';
import { callerOf } from '../env.ts';
import { type ManagerRoutes, newRoutes } from '../parts.ts';
import { listOrNull } from '../schemas/struct.ts';
import { jsonAnswer } from '../struct-answer.ts';

/** `GET /api/v1/servers`: the names of the servers that the caller can use. */
export function serverRoutes({ calls }: ManagerContext): ManagerRoutes {
  const routes = newRoutes();
  routes.get('/api/v1/servers', (c) => jsonAnswer(c, calls.servers(callerOf(c))));

  return {
    routes,
    operations: [
      {
        method: 'get',
        path: '/api/v1/servers',
        id: 'listServers',
        tag: 'Servers',
        summary: 'List the names of all servers.',
        answer: answerOf('The sorted names.', listOrNull(Type.String()), ['filesystem', 'time']),
        errors: [],
      },
    ],
  };
}
