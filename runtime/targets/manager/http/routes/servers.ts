import { answerOf } from '#serve/http/openapi/describe.ts';
import { Type } from 'typebox';
import type { ManagerContext } from '../../context.ts';
import { callerOf } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { HttpParts } from '../parts.ts';
import { listOrNull } from '../schemas/struct.ts';

/** `GET /api/v1/servers`: the names of the servers that the caller can use. */
export function serverRoutes({ calls }: ManagerContext, { guards, route }: HttpParts): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/servers',
      guard: guards.caller,
      id: 'listServers',
      tag: 'Servers',
      summary: 'List the names of all servers.',
      answer: answerOf('The sorted names.', listOrNull(Type.String()), ['filesystem', 'time']),
      run: (c) => calls.servers(callerOf(c)),
    }),
  ];
}
