import { Type } from 'typebox';
import { messageOf } from '../../../../contract/errors.ts';
import { answerOf } from '../../../../serve/http/openapi/describe.ts';
import type { Operation } from '../../../../serve/http/openapi/operation.ts';
import { oneOf } from '../../../../serve/http/schemas.ts';
import type { ManagerContext } from '../../context.ts';
import { logout } from '../../sign-in/logout.ts';
import type { ManagerFiles } from '../app-options.ts';
import type { BaseAddress } from '../base-address.ts';
import { explained } from '../change-servers.ts';
import { requireAdmin, requireEditor } from '../env.ts';
import { type HttpParts, type ManagerRoutes, newRoutes } from '../parts.ts';
import { optionalText, struct } from '../schemas/struct.ts';
import { CALLBACK_PATH, createPendingSignIns } from '../sign-ins.ts';
import { compact } from '../views/compact.ts';
import { serverOf } from './admin.ts';
import { serverName } from './operations.ts';

const SIGN_IN_PATH = '/api/v1/admin/servers/:name/sign-in';

/** `/api/v1/admin/servers/{name}/sign-in`: a person signs in to a remote server in a browser. */
export function signInRoutes(
  { supervisor }: ManagerContext,
  { signIns }: ManagerFiles,
  { answer }: HttpParts,
  baseAddress: BaseAddress,
): ManagerRoutes {
  const pending = createPendingSignIns(signIns);
  const routes = newRoutes();

  routes.get(SIGN_IN_PATH, (c) => {
    requireAdmin(c);
    const server = serverOf(supervisor, c.req.param('name'));
    const state = server.signIn() ?? 'none';
    return answer(c, 'SignIn', {
      server: server.name,
      state,
      ...compact({ problem: pending.problem(server.name) }),
    });
  });
  routes.post(SIGN_IN_PATH, async (c) => {
    requireEditor(c);
    const server = serverOf(supervisor, c.req.param('name'));
    const url = await explained(() => pending.begin(server.spec(), baseAddress(c)));
    return answer(c, 'StartedSignIn', { server: server.name, authorizationUrl: url.href });
  });
  routes.delete(SIGN_IN_PATH, async (c) => {
    requireEditor(c);
    const server = serverOf(supervisor, c.req.param('name'));
    const { wasSignedIn, notRevoked } = await explained(() => logout(server.spec(), signIns));
    return answer(c, 'SignedOut', { server: server.name, wasSignedIn, ...compact({ notRevoked }) });
  });
  routes.get(CALLBACK_PATH, async (c) => {
    try {
      return c.text(`${await pending.finish(new URL(c.req.url).searchParams)}\n`, 200, HEADERS);
    } catch (error) {
      return c.text(`${messageOf(error)}\n`, 400, HEADERS);
    }
  });

  return { routes, operations: [STATE, START, END] };
}

/** The code is in the address of the page, so it is neither cached nor sent on. */
const HEADERS = {
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'no-referrer',
  'X-Content-Type-Options': 'nosniff',
};

const server = Type.String();

const STATE: Operation = {
  method: 'get',
  path: '/api/v1/admin/servers/{name}/sign-in',
  id: 'getSignIn',
  tag: 'Sign-in',
  summary: 'Get whether a person is signed in to a remote server.',
  parameters: [serverName],
  answer: answerOf(
    'The state.',
    struct('SignIn', {
      server,
      state: oneOf(['none', 'required', 'signed-in'], {
        description: '`none`: the server has not required a sign-in.',
      }),
      problem: optionalText('Why the latest sign-in failed.'),
    }),
    { server: 'linear', state: 'required' },
  ),
  errors: [403, 404],
};

const START: Operation = {
  method: 'post',
  path: '/api/v1/admin/servers/{name}/sign-in',
  id: 'startSignIn',
  tag: 'Sign-in',
  summary: 'Start the sign-in of a person to a remote server.',
  description: `The person opens \`authorizationUrl\` within five minutes. The browser returns to \`${CALLBACK_PATH}\` of the manager. Requires a key with edit permission.`,
  parameters: [serverName],
  answer: answerOf(
    'The URL to open.',
    struct('StartedSignIn', { server, authorizationUrl: Type.String({ format: 'uri' }) }),
    { server: 'linear', authorizationUrl: 'https://auth.example/authorize?client_id=abc&state=xyz' },
  ),
  errors: [403, 404, 422, 429, 502],
};

const END: Operation = {
  method: 'delete',
  path: '/api/v1/admin/servers/{name}/sign-in',
  id: 'endSignIn',
  tag: 'Sign-in',
  summary: 'Sign out of a remote server: revoke and delete its tokens.',
  description: 'Requires a key with edit permission.',
  parameters: [serverName],
  answer: answerOf(
    'Whether a person was signed in.',
    struct('SignedOut', {
      server,
      wasSignedIn: Type.Boolean(),
      notRevoked: optionalText('Why the authorization server did not revoke the tokens.'),
    }),
    { server: 'linear', wasSignedIn: true },
  ),
  errors: [403, 404, 422],
};
