import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import type { SignInFlow, WaitingCommand } from '../../accounts/sign-in/sign-in-flow.ts';
import { CALLBACK_PATH } from '../../accounts/sign-in/sign-in-flow.ts';
import type { GatewayContext } from '../../context.ts';
import { type GatewayRoutes, type HttpParts, newRoutes } from '../http/parts.ts';
import { rfc3339OrNull } from '../http/values.ts';
import { callerOf, managerIn } from '../sign-in/sign-in.ts';
import { createCookies } from './cookies.ts';
import { CONSENT_PATH, consentPage } from './consent-page.ts';
import { AUTH_OPERATIONS, ME_OPERATION } from './operations.ts';
import { tokenRequest } from './schemas.ts';
import { requireOwnPage } from './session-credentials.ts';

/** `/auth`: sign-in by OpenID Connect; and `/v1/me`. */
export function authRoutes(
  { state, signIn }: GatewayContext,
  { guards, readBody }: HttpParts,
): GatewayRoutes {
  const { identity } = state;
  const routes = newRoutes();

  routes.get('/v1/me', guards.anyKey, async (c) => {
    const caller = callerOf(c);
    const isMaster = caller.kind === 'master';
    const { userId, role, memberships } = await identity.manager(caller);
    return c.json({
      user_id: userId,
      role,
      teams: (role === 'member' || isMaster ? memberships : await identity.members.ofUser(userId ?? ''))
        // The key of a team can be that of its administrator, whom other teams of the user do not concern.
        .filter((one) => isMaster || caller.key.teamId === null || one.teamId === caller.key.teamId)
        .map((one) => ({ team_id: one.teamId, role: one.role })),
      scope: isMaster ? 'master' : caller.key.scope,
      expires_at: rfc3339OrNull(isMaster ? null : caller.key.expiresAt),
    });
  });
  if (!signIn) return { routes, operations: [ME_OPERATION] };

  const cookies = createCookies(signIn.publicUrl);
  routes.get('/auth/sign-in', async (c) => {
    const { location, cookie } = await signIn.begin(c.req.query('return_to') ?? '/docs', waitingCommand(c));
    cookies.started.write(c, cookie, SIGN_IN_SECONDS);
    return c.redirect(location);
  });
  routes.get(CALLBACK_PATH, async (c) => {
    const before = cookies.started.read(c);
    cookies.started.remove(c);
    const result = await signIn.finish(new URL(c.req.url).searchParams, before);
    if (result.kind === 'command') {
      cookies.asked.write(c, result.cookie, SIGN_IN_SECONDS);
      return consentPage(c, result.asked, (await identity.users.get(result.asked.userId)).role);
    }
    const { key, secret } = result.session;
    cookies.session.write(c, secret, secondsUntil(key.expiresAt, key.createdAt));
    return c.redirect(result.returnTo);
  });
  routes.post(CONSENT_PATH, (c) => {
    requireOwnPage(c, signIn.publicUrl);
    const cookie = cookies.asked.read(c);
    cookies.asked.remove(c);
    return c.redirect(signIn.consent(cookie, c.req.query('answer') === 'yes'), 303);
  });
  routes.post('/auth/token', async (c) => {
    const { code, verifier } = await readBody(c, tokenRequest);
    return c.json(sessionView(await signIn.redeem(code, verifier)));
  });
  routes.post('/auth/sign-out', guards.manager, async (c) => {
    managerIn(c);
    const caller = callerOf(c);
    if (caller.kind === 'key') await identity.keys.delete(caller.key.id);
    cookies.session.remove(c);
    return c.body(null, 204);
  });
  return { routes, operations: [ME_OPERATION, ...AUTH_OPERATIONS] };
}

const SIGN_IN_SECONDS = 600;

const secondsUntil = (end: number | null, start: number): number =>
  end === null ? 0 : Math.floor((end - start) / 1000);

/** Reads the parameters of `gateway login`; undefined for a sign-in of a page. */
function waitingCommand(c: Context): WaitingCommand | undefined {
  const text = c.req.query('port');
  if (text === undefined) return undefined;
  const [port, state = '', challenge = ''] = [Number(text), c.req.query('state'), c.req.query('challenge')];
  const isValid = Number.isInteger(port) && port > 0 && port < 65_536;
  if (isValid && /^[\w-]{8,100}$/.test(state) && /^[\w-]{43}$/.test(challenge))
    return { port, state, challenge };
  throw new AppError('InputError', 'port, state and challenge must be those of `gateway login`.');
}

const sessionView = ({ key, secret }: Awaited<ReturnType<SignInFlow['redeem']>>) => ({
  key: secret,
  user_id: key.userId,
  expires_at: rfc3339OrNull(key.expiresAt),
});
