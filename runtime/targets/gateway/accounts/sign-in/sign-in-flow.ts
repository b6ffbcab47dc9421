import { createHash, randomBytes } from 'node:crypto';
import { AppError } from '#contract/errors.ts';
import { shortened } from '#serve/oauth/oauth-failure.ts';
import { createPkce } from '#serve/oauth/pkce.ts';
import type { Clock } from '#platform/clock.ts';
import type { Key } from '../fields/keys.ts';
import type { User } from '../fields/users.ts';
import type { Identity } from '../identity/identity.ts';
import { ownPath } from './own-path.ts';
import { createSignInProvider } from './provider.ts';
import { readClaims, type ClaimedUser } from './read-claims.ts';
import type { RedeemedCodes } from './redeemed-codes.ts';
import type { SignInConfig } from './sign-in-config.ts';
import { createSealedValues } from '../sealed-values.ts';

/** A session: an expiring key with scope `manage`. */
interface Session {
  readonly key: Key;
  readonly secret: string;
}

/** A command that waits for a sign-in on a port of the user's own machine. */
export interface WaitingCommand {
  readonly port: number;
  readonly state: string;
  /** S256 challenge for a verifier that only the command knows. */
  readonly challenge: string;
}

/** A user who has signed in for a waiting command, and must consent to giving it a key. */
export interface AskedConsent extends WaitingCommand {
  readonly userId: string;
}

/**
 * What happens after a sign-in: a redirect to one of the gateway's paths with a session, or a consent
 * question, whose `cookie` must be sent back with the consent.
 */
type SignedIn =
  | { readonly kind: 'browser'; readonly returnTo: string; readonly session: Session }
  | { readonly kind: 'command'; readonly asked: AskedConsent; readonly cookie: string };

export interface SignInFlow {
  readonly publicUrl: string;
  /** Starts a sign-in. `cookie` must be sent back with the provider's response. */
  begin(
    returnTo: string,
    command?: WaitingCommand,
  ): Promise<{ readonly location: string; readonly cookie: string }>;
  /** Completes a sign-in with the parameters sent by the provider. */
  finish(parameters: URLSearchParams, cookie: string | undefined): Promise<SignedIn>;
  /** Returns the waiting command's URL, with a code if the user consents to giving it a key. */
  consent(cookie: string | undefined, isGiven: boolean): string;
  /** Exchanges a waiting command's code for a session. */
  redeem(code: string, verifier: string): Promise<Session>;
  close(): Promise<void>;
}

export const CALLBACK_PATH = '/auth/callback';
const SIGN_IN_MS = 10 * 60_000;
const COMMAND_CODE_MS = 60_000;

/** A pending sign-in, stored in a browser cookie. */
interface StartedSignIn {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly returnTo: string;
  readonly command?: WaitingCommand;
}

/** A user who has signed in for a waiting command. */
interface CommandCode {
  /** A code's text is not unique, because it can be encoded in several ways. */
  readonly id: string;
  readonly userId: string;
  readonly challenge: string;
}

export interface SignInFlowParts {
  readonly identity: Identity;
  readonly codes: RedeemedCodes;
  readonly clock: Clock;
  /** A key shared by all gateways with this database, because another gateway may complete a sign-in. */
  readonly key: Uint8Array;
  readonly onMissingTeam: (teamId: string) => void;
}

/** Sign-in with OpenID Connect: the authorization code flow with PKCE. */
export function createSignInFlow(config: SignInConfig, parts: SignInFlowParts): SignInFlow {
  const { identity, codes: redeemed, clock, key, onMissingTeam } = parts;
  const { publicUrl, createUsers, sessionMs } = config;
  const provider = createSignInProvider({ ...config, redirectUri: `${publicUrl}${CALLBACK_PATH}` }, clock);
  const started = createSealedValues<StartedSignIn>(key, { purpose: 'sign-in', maxAgeMs: SIGN_IN_MS }, clock);
  const asked = createSealedValues<AskedConsent>(
    key,
    { purpose: 'consent for a command', maxAgeMs: SIGN_IN_MS },
    clock,
  );
  const codes = createSealedValues<CommandCode>(
    key,
    { purpose: 'sign-in of a command', maxAgeMs: COMMAND_CODE_MS },
    clock,
  );

  const openSession = async (userId: string): Promise<Session> => {
    await deleteExpiredSessions(identity, userId);
    return await identity.keys.create({
      userId,
      scope: 'manage',
      issuer: 'own',
      keyName: SESSION_NAME,
      expiresAt: Math.floor(clock.now()) + sessionMs,
    });
  };

  return {
    publicUrl,
    async begin(returnTo, command) {
      const [state, nonce] = [randomText(), randomText()];
      const { verifier, challenge } = createPkce();
      const location = await provider.authorizationUrl({ state, nonce, challenge });
      const own = { state, nonce, verifier, returnTo: ownPath(returnTo, publicUrl) };
      return { location, cookie: started.close(command ? { ...own, command } : own) };
    },
    async finish(parameters, cookie) {
      const before = cookie === undefined ? undefined : started.open(cookie);
      if (!before || parameters.get('state') !== before.state)
        throw failed('This sign-in was not started in this browser, or it took longer than 10 minutes');
      await provider.checkIssuer(parameters.get('iss') ?? undefined);
      const [code, error] = [parameters.get('code'), parameters.get('error')];
      if (code === null || error !== null) {
        const description = parameters.get('error_description') ?? '';
        const reason = [error ?? 'no code', description].filter((text) => text !== '').join(': ');
        throw failed(`The provider rejected the sign-in: ${shortened(reason)}`);
      }
      const { nonce, verifier, returnTo, command } = before;
      const claimed = readClaims(await provider.claims({ code, nonce, verifier }), config);
      const { userId } = await admitUser(claimed, { identity, createUsers, onMissingTeam });
      if (!command) return { kind: 'browser', returnTo, session: await openSession(userId) };
      const consent = { ...command, userId };
      return { kind: 'command', asked: consent, cookie: asked.close(consent) };
    },
    consent(cookie, isGiven) {
      const value = cookie === undefined ? undefined : asked.open(cookie);
      if (!value)
        throw failed(
          'No `gateway login` command is waiting for this browser, or the sign-in took longer than 10 minutes',
        );
      const { userId, challenge, state, port } = value;
      const location = commandAddress(port);
      if (isGiven) location.searchParams.set('code', codes.close({ id: randomText(), userId, challenge }));
      else location.searchParams.set('error', 'access_denied');
      location.searchParams.set('state', state);
      return location.href;
    },
    async redeem(code, verifier) {
      const value = codes.open(code);
      const challenge = createHash('sha256').update(verifier).digest('base64url');
      const isValid = value?.challenge === challenge;
      if (!isValid || !(await redeemed.redeem(value.id, clock.now() + COMMAND_CODE_MS)))
        throw failed('The code is invalid, has already been used, or has expired');
      const user = await identity.users.get(value.userId);
      if (user.blocked)
        throw new AppError('ForbiddenError', `User '${user.userId}' is blocked`, { reason: 'user_blocked' });
      return await openSession(user.userId);
    },
    close: () => provider.close(),
  };
}

/** Name of session keys, as shown in lists. */
const SESSION_NAME = 'Sign-in';

async function deleteExpiredSessions({ keys }: Identity, userId: string): Promise<void> {
  const expired = await keys.list({ skip: 0, limit: 1000 }, { userId, status: 'expired' });
  const sessions = expired.filter(({ scope, keyName }) => scope === 'manage' && keyName === SESSION_NAME);
  for (const { id } of sessions) await keys.delete(id);
}

/** Where a waiting command listens. */
export const commandAddress = (port: number): URL => new URL(`http://127.0.0.1:${port}/callback`);

const randomText = (): string => randomBytes(24).toString('base64url');

const failed = (message: string): AppError =>
  new AppError('UnauthorizedError', `${message}. Sign in again.`, { reason: 'sign_in_failed' });

interface AdmitOptions {
  readonly identity: Pick<Identity, 'users' | 'members' | 'teams'>;
  readonly createUsers: boolean;
  /** Reports a configured team that does not exist. */
  readonly onMissingTeam: (teamId: string) => void;
}

/**
 * Finds or creates the user for a sign-in, and applies the role and teams from the claims. Throws for users
 * that cannot sign in.
 */
async function admitUser(claimed: ClaimedUser, options: AdmitOptions): Promise<User> {
  const { users, members, teams } = options.identity;
  const known = await findUser(claimed, options);
  if (known.teamId !== null)
    throw refused(
      `User '${known.userId}' is a service account of team '${known.teamId}' and cannot sign in. Ask an administrator to delete the service account and create a user with this ID.`,
    );
  if (known.blocked) throw refused(`User '${known.userId}' is blocked`, 'user_blocked');
  const { userId } = known;
  const user =
    claimed.role === undefined || claimed.role === known.role
      ? known
      : await users.change(userId, { role: claimed.role });
  const current = new Map((await members.ofUser(userId)).map(({ teamId, role }) => [teamId, role]));
  for (const [teamId, role] of claimed.teams) {
    if (role === (current.get(teamId) ?? null)) continue;
    if (role === null) await members.remove(teamId, userId);
    else if (await exists(teamId, teams)) await members.put(teamId, userId, role);
    else options.onMissingTeam(teamId);
  }
  return user;
}

async function findUser(
  { userId, alias }: ClaimedUser,
  { identity: { users }, createUsers }: AdmitOptions,
): Promise<User> {
  try {
    return await users.get(userId);
  } catch (error) {
    if (reasonIn(error) !== 'user_not_found') throw error;
  }
  if (!createUsers) throw refused(`User '${userId}' does not exist. Ask an administrator to create it.`);
  if (await users.wasDeleted(userId))
    throw refused(`User '${userId}' was deleted. Ask an administrator to create it again.`);
  try {
    return await users.create({ userId, alias });
  } catch (error) {
    // The same user may sign in twice concurrently.
    if (reasonIn(error) === 'user_exists') return await users.get(userId);
    throw error;
  }
}

async function exists(teamId: string, teams: Identity['teams']): Promise<boolean> {
  try {
    return (await teams.get(teamId)).id === teamId;
  } catch (error) {
    if (reasonIn(error) === 'team_not_found') return false;
    throw error;
  }
}

const refused = (message: string, reason = 'sign_in_refused'): AppError =>
  new AppError('ForbiddenError', message, { reason });

/** The reason code of an error from this program; undefined for others. */
const reasonIn = (error: unknown): string | undefined =>
  error instanceof AppError ? error.reason : undefined;
