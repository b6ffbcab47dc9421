import { Type } from 'typebox';
import { answerOf } from '#serve/http/openapi/describe.ts';
import type { ManagerContext } from '../../context.ts';
import { callerOfRequest } from '../env.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { struct, listOrNull } from '../schemas/struct.ts';
import { compact } from '../views/compact.ts';

const caller = struct('Caller', {
  name: Type.String({ description: 'Name of the key or, with an access token, of the user.' }),
  admin: Type.Boolean({ description: 'Whether the caller can restart its servers and read their logs.' }),
  adminReadOnly: Type.Boolean({ description: 'Whether the admin permission is read-only.' }),
  edit: Type.Boolean({ description: 'Whether the caller can change servers, keys and pins.' }),
  readOnly: Type.Boolean({ description: 'Whether the caller can only call read-only tools.' }),
  groups: Type.Optional(Type.Array(Type.String(), { description: 'Groups to which the caller is limited.' })),
  version: Type.String({ description: 'Version of the manager.' }),
});

/** `GET /api/v1/caller`: the caller's permissions. */
export function callerRoutes(
  { version }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/caller',
      guard: guards.caller,
      id: 'getCaller',
      tag: 'Servers',
      summary: 'Get the permissions of the key or access token of this request.',
      answer: answerOf('The permissions.', caller, {
        name: 'laptop',
        admin: true,
        adminReadOnly: false,
        edit: false,
        readOnly: false,
        version: '0.1.0',
      }),
      run: (c) => {
        const {
          name,
          admin,
          adminReadOnly = false,
          edit = false,
          readOnly = false,
          groups,
        } = callerOfRequest(c);
        return {
          name,
          admin,
          adminReadOnly,
          edit,
          readOnly,
          ...compact({ groups }),
          version,
        };
      },
    }),
  ];
}

/** `GET /api/v1/servers`: the names of the servers that the caller can use. */
export function serverRoutes(
  { calls }: ManagerContext,
  { guards, route }: ManagerHttpParts,
): readonly Route[] {
  return [
    route({
      method: 'get',
      path: '/api/v1/servers',
      guard: guards.caller,
      id: 'listServers',
      tag: 'Servers',
      summary: 'List the names of all servers.',
      answer: answerOf('The sorted names.', listOrNull(Type.String()), ['filesystem', 'time']),
      run: (c) => calls.servers(callerOfRequest(c)),
    }),
  ];
}
