import type { Context } from 'hono';
import { AppError, inputError, messageOf } from '#contract/errors.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import { isLoopbackUrl } from '../../config/is-loopback-url.ts';
import { isPerUser, type ServerSpec } from '../../config/spec.ts';
import type { ManagerContext } from '../../context.ts';
import { signInLaunch } from '../../sign-in/sign-in-launch.ts';
import type { SignInRecord } from '../../sign-in/sign-in-record.ts';
import type { ManagedServer } from '../../supervisor/managed-server.ts';
import { callerOfRequest } from '../env.ts';
import { requireAdminKey } from '../guards.ts';
import type { Route } from '#serve/http/route.ts';
import type { ManagerHttpParts } from '../parts.ts';
import { SIGNED_IN_PATH } from '../sign-in-page/address.ts';
import { compact } from '../views/compact.ts';
import { serverOfPath } from './admin.ts';
import { answerOf } from '#serve/http/openapi/describe.ts';
import { SERVER_NAME } from './operations.ts';
import { signInBody, signInCompletion, signInStart, signedOut, startedSignIn } from '../schemas/sign-in.ts';

/** The server in a request, and the user whose sign-in is concerned; undefined for a shared sign-in. */
interface Subject {
  readonly server: ManagedServer;
  readonly spec: ServerSpec;
  readonly user: string | undefined;
}

/** Rejects servers that do not use user sign-ins. */
function requirePerson({ name, launch }: ServerSpec): void {
  try {
    signInLaunch(name, launch);
  } catch (error) {
    throw inputError(messageOf(error));
  }
}

/** `/api/v1/servers/{name}/sign-in`: the caller's sign-in to a remote server. */
export function signInRoutes(
  { supervisor, signIns }: ManagerContext,
  { guards, route }: ManagerHttpParts,
  knownBase: (c: Context) => string | undefined,
): readonly Route[] {
  const subjectOf = (c: Context<ShellEnv>): Subject => {
    const name = c.req.param('name') ?? '';
    const caller = callerOfRequest(c);
    const server = serverOfPath(supervisor, name);
    if (!caller.canUse(server.name)) throw new AppError('ForbiddenError', `server not allowed: ${name}`);
    const spec = server.spec();
    requirePerson(spec);
    if (!isPerUser(spec)) {
      if (c.req.method !== 'GET' && c.req.method !== 'HEAD') requireAdminKey(c, 'named');
      return { server, spec, user: undefined };
    }
    if (caller.user !== undefined) return { server, spec, user: caller.user };
    throw new AppError(
      'ForbiddenError',
      `server ${server.name}: each user must sign in, but the manager cannot identify the caller. Use an API key or an access token.`,
    );
  };
  /** Makes the next call use the new state. */
  const applyChange = async ({ server, user }: Subject): Promise<void> => {
    if (user !== undefined) server.userChanged(user);
    // The server may be waiting for its next start attempt. Its status shows any failure.
    else await server.restart().catch(() => undefined);
  };
  const view = ({ server, user }: Subject, record: SignInRecord | undefined) => ({
    server: server.name,
    state: record?.tokens === undefined ? ('required' as const) : ('signed-in' as const),
    isShared: user === undefined,
    ...compact({
      issuer: record?.issuer,
      scope: record?.tokens?.scope,
      expiresAt: record?.tokens?.expiresAt === undefined ? undefined : rfc3339(record.tokens.expiresAt),
    }),
  });

  const guard = guards.own({
    check(c) {
      subjectOf(c);
    },
    errors: [403, 404, 422],
  });

  return [
    route({
      method: 'get',
      path: '/api/v1/servers/:name/sign-in',
      guard,
      ...common,
      id: 'getSignIn',
      summary: 'Get the caller’s sign-in to a remote server.',
      description:
        'For servers with `sign_in = "per_user"`, this is the caller’s own sign-in. For other servers, all callers share one sign-in; starting, completing or ending it requires admin permission.',
      answer: answerOf('The sign-in.', signInBody, EXAMPLE),
      run: (c) => {
        const subject = subjectOf(c);
        return view(subject, signIns.read(subject));
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/servers/:name/sign-in',
      guard,
      ...common,
      id: 'startSignIn',
      summary: 'Start a sign-in to a remote server.',
      description:
        'Open the URL in a browser. After the browser is redirected to `redirectUri`, complete the sign-in. The sign-in expires after 10 minutes.',
      request: {
        schema: signInStart,
        examples: { command: { redirectUri: 'http://127.0.0.1:8976/callback' } },
      },
      answer: answerOf('The URL for the browser.', startedSignIn, {
        authorizationUrl: 'https://id.example/authorize?response_type=code&client_id=…',
      }),
      errors: [502],
      run: async (c, body) => {
        const subject = subjectOf(c);
        const { redirectUri } = body;
        const base = knownBase(c);
        const page = base === undefined ? undefined : base + SIGNED_IN_PATH;
        // An authorization code must only be sent to the browser's own machine or back to this manager.
        if (redirectUri !== page && !isLoopbackUrl(redirectUri)) {
          throw inputError(
            `redirectUri must be ${page ?? `${SIGNED_IN_PATH} on a host from --allowed-hosts or from resource in [daemon.api.oauth]`}, or an http:// URL with a port on the user's machine, not ${JSON.stringify(redirectUri)}.`,
          );
        }
        // Imported on demand, because few servers are APIs with a sign-in.
        const { withDocumentScopes } = await import('../../upstream/api/document-scopes.ts');
        const spec = await withDocumentScopes(subject.spec);
        const url = await signIns.start({ ...subject, spec }, redirectUri);
        return { authorizationUrl: url.href };
      },
    }),
    route({
      method: 'post',
      path: '/api/v1/servers/:name/sign-in/complete',
      guard,
      ...common,
      id: 'completeSignIn',
      summary: 'Complete a sign-in to a remote server.',
      request: { schema: signInCompletion, examples: { query: { query: 'code=…&state=…' } } },
      answer: answerOf('The sign-in.', signInBody, EXAMPLE),
      errors: [502],
      run: async (c, body) => {
        const subject = subjectOf(c);
        const { query } = body;
        const record = await signIns.complete(subject, new URLSearchParams(query));
        await applyChange(subject);
        return view(subject, record);
      },
    }),
    route({
      method: 'delete',
      path: '/api/v1/servers/:name/sign-in',
      guard,
      ...common,
      id: 'endSignIn',
      summary: 'Sign out of a remote server.',
      description: 'Revokes the tokens at the authorization server and deletes them.',
      answer: answerOf('The result.', signedOut, { wasSignedIn: true }),
      run: async (c) => {
        const subject = subjectOf(c);
        const { wasSignedIn, notRevoked } = await signIns.end(subject);
        await applyChange(subject);
        return { wasSignedIn, ...compact({ notRevoked }) };
      },
    }),
  ];
}

const SIGN_IN_TAG = 'Sign-in';
const EXAMPLE = {
  server: 'tickets',
  state: 'signed-in',
  isShared: false,
  issuer: 'https://id.example',
  scope: 'read',
  expiresAt: '2026-01-31T12:00:00Z',
};
const common = { tag: SIGN_IN_TAG, parameters: [SERVER_NAME] };
