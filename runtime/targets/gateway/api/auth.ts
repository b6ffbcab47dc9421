import type { Context } from 'hono';
import { html } from 'hono/html';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import { OPEN, type Route, undocumentedRoute } from '#serve/http/route.ts';
import { closed, oneOf, orNull } from '#serve/http/schemas.ts';
import { TEAM_ROLES } from '../accounts/identity/groups-api.ts';
import { USER_ROLES } from '../accounts/fields/users.ts';
import { commandCode } from '../accounts/sign-in/command-code.ts';
import {
  type SignInFlow,
  type WaitingCommand,
  CALLBACK_PATH,
  type AskedConsent,
  commandAddress,
} from '../accounts/sign-in/sign-in-flow.ts';
import type { GatewayContext } from '../context.ts';
import type { GatewayState } from '../gateway-state.ts';
import { createCookies, requireOwnPage } from './browser-session.ts';
import { callerOf, KEY_ERRORS, managerIn } from './guards.ts';
import { nonEmptyText, timeOrNull } from './http/fields.ts';
import type { HttpParts } from './http/parts.ts';
import { rfc3339OrNull } from './http/values.ts';

const tokenRequest = closed('SignInCode', {
  code: nonEmptyText('Code that the command received from the browser.', 4096),
  verifier: nonEmptyText('PKCE code verifier of the command.'),
});

export const session = closed('SignInSession', {
  key: Type.String({ description: 'Key with the scope `manage`. It is returned only once.' }),
  user_id: Type.String(),
  expires_at: timeOrNull('Expiry of the key.'),
});

export const me = closed('Me', {
  user_id: orNull(Type.String({ description: 'Null for the master key.' })),
  role: oneOf(USER_ROLES),
  teams: Type.Array(closed('OwnTeam', { team_id: Type.String(), role: oneOf(TEAM_ROLES) }), {
    description: 'Teams of the user.',
  }),
  scope: oneOf(['master', 'models', 'manage'], { description: 'Purpose of the credential.' }),
  expires_at: timeOrNull('Expiry of the credential.'),
});

/** `/auth` (sign-in with OpenID Connect) and `/v1/me`. */
export function authRoutes(
  { state, signIn }: GatewayContext,
  { guards, route }: HttpParts,
): readonly Route[] {
  const { identity } = state;
  return [
    route({
      method: 'get',
      path: '/v1/me',
      guard: guards.anyKey,
      id: 'getMe',
      tag: 'Users',
      summary: 'Get the caller’s user, role and teams.',
      answer: answerOf('The caller.', me, {
        user_id: 'ada',
        role: 'member',
        teams: [{ team_id: 'research', role: 'admin' }],
        scope: 'manage',
        expires_at: '2026-01-31T12:00:00Z',
      }),
      run: async (c) => {
        const caller = callerOf(c);
        const isMaster = caller.kind === 'master';
        const { userId, role, memberships } = await identity.manager(caller);
        return {
          user_id: userId,
          role,
          teams: (role === 'member' || isMaster ? memberships : await identity.members.ofUser(userId ?? ''))
            // A team's administrator may hold the user's team key, but must not see the user's other teams.
            .filter((one) => isMaster || caller.key.teamId === null || one.teamId === caller.key.teamId)
            .map((one) => ({ team_id: one.teamId, role: one.role })),
          scope: isMaster ? ('master' as const) : caller.key.scope,
          expires_at: rfc3339OrNull(isMaster ? null : caller.key.expiresAt),
        };
      },
    }),
    ...(signIn ? signInRoutes(identity, signIn, { guards, route }) : []),
  ];
}

/** The browser routes return redirects and a page, so they are not part of the API. */
function signInRoutes(
  identity: GatewayState['identity'],
  signIn: SignInFlow,
  { guards, route }: Pick<HttpParts, 'guards' | 'route'>,
): readonly Route[] {
  const cookies = createCookies(signIn.publicUrl);
  return [
    route({
      method: 'post',
      path: '/auth/token',
      guard: OPEN,
      id: 'redeemSignInCode',
      tag: 'Sign-in',
      summary: 'Exchange the code from `gateway login` for a key.',
      request: { schema: tokenRequest, examples: { code: { code: 'k3Jd', verifier: 'dBjftJeZ4CVP' } } },
      answer: answerOf('The key created by the sign-in.', session, {
        key: 'gw-q1Zt8mEr0FBpKvJ3cYdWnX7hTgLsUoAi5eQk2bMzPVRyNxC4fGHjD6w9SuEtOlIa',
        user_id: 'ada',
        expires_at: '2026-01-31T12:00:00Z',
      }),
      errors: KEY_ERRORS,
      run: async (_c, { code, verifier }) => sessionView(await signIn.redeem(code, verifier)),
    }),
    route({
      method: 'post',
      path: '/auth/sign-out',
      isRepeatable: true,
      guard: guards.manager(),
      id: 'signOut',
      tag: 'Sign-in',
      summary: 'Delete the key or session used for this request.',
      answer: noContent('The user is signed out.'),
      run: async (c) => {
        managerIn(c);
        const caller = callerOf(c);
        if (caller.kind === 'key') await identity.keys.delete(caller.key.id);
        cookies.session.remove(c);
      },
    }),
    undocumentedRoute({
      method: 'get',
      path: '/auth/sign-in',
      guard: OPEN,
      run: async (c) => {
        const { location, cookie } = await signIn.begin(
          c.req.query('return_to') ?? '/docs',
          waitingCommand(c),
        );
        cookies.started.write(c, cookie, SIGN_IN_SECONDS);
        return c.redirect(location);
      },
    }),
    undocumentedRoute({
      method: 'get',
      path: CALLBACK_PATH,
      guard: OPEN,
      run: async (c) => {
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
      },
    }),
    undocumentedRoute({
      method: 'post',
      path: CONSENT_PATH,
      guard: OPEN,
      run: (c) => {
        requireOwnPage(c, signIn.publicUrl);
        const cookie = cookies.asked.read(c);
        cookies.asked.remove(c);
        return c.redirect(signIn.consent(cookie, c.req.query('answer') === 'yes'), 303);
      },
    }),
  ];
}

const SIGN_IN_SECONDS = 600;

const secondsUntil = (end: number | null, start: number): number =>
  end === null ? 0 : Math.floor((end - start) / 1000);

/** Parses the parameters sent by `gateway login`; undefined if the user signs in on a page. */
function waitingCommand(c: Context): WaitingCommand | undefined {
  const text = c.req.query('port');
  if (text === undefined) return undefined;
  const [port, state = '', challenge = ''] = [Number(text), c.req.query('state'), c.req.query('challenge')];
  const isValid = Number.isInteger(port) && port > 0 && port < 65_536;
  if (isValid && /^[\w-]{8,100}$/.test(state) && /^[\w-]{43}$/.test(challenge))
    return { port, state, challenge };
  throw new AppError('InputError', 'port, state and challenge must match those from `gateway login`.');
}

const sessionView = ({ key, secret }: Awaited<ReturnType<SignInFlow['redeem']>>) => ({
  key: secret,
  user_id: key.userId,
  expires_at: rfc3339OrNull(key.expiresAt),
});

const CONSENT_PATH = '/auth/consent';

/**
 * The page that asks whether to create a key for a waiting command. Without the page, opening a link would
 * be enough to sign in another person's program, because the identity provider does not prompt users who
 * are already signed in.
 */
function consentPage(c: Context, asked: AskedConsent, role: string): Response | Promise<Response> {
  const { userId, port } = asked;
  c.header(
    'Content-Security-Policy',
    // The command's URL is also listed, because the response to the form redirects to it and browsers check
    // the target of the redirect.
    `default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self' ${commandAddress(port).origin}; base-uri 'none'; frame-ancestors 'none'`,
  );
  // With `no-referrer`, browsers would send the form with the origin `null`.
  c.header('Referrer-Policy', 'same-origin');
  const program = `A program on this computer requests to sign in as ${userId}`;
  return c.html(
    html`<!doctype html>
      <html lang="en">
        <head>
          <meta charset="utf-8" />
          <meta name="viewport" content="width=device-width, initial-scale=1" />
          <meta name="color-scheme" content="light dark" />
          <title>Sign in a program · Gateway</title>
          <link rel="icon" href="../assets/icon.svg" type="image/svg+xml" />
          <link rel="stylesheet" href="../assets/tokens.css" />
          <link rel="stylesheet" href="../assets/style.css" />
        </head>
        <body>
          <header class="top">
            <div>
              <h1>Sign in a program</h1>
              <p>Gateway</p>
            </div>
          </header>
          <main>
            <p><strong>${program}</strong> (role ${role}).</p>
            <p>Compare the code with the one that <code>gateway login</code> shows in your terminal:</p>
            <p><code>${commandCode(asked)}</code></p>
            <p>
              The program will receive a key that can manage the gateway on your behalf. If you did not run
              <code>gateway login</code>, someone else sent you here: deny the request.
            </p>
            <form method="post" action="consent?answer=yes">
              <button type="submit">Sign in the program</button>
            </form>
            <form method="post" action="consent?answer=no"><button type="submit">Deny</button></form>
          </main>
        </body>
      </html>`,
  );
}
