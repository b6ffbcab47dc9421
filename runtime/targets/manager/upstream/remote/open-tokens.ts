import type { RemoteLaunch, ServerTimeouts, ClientKey } from '../../config/spec.ts';
import type { SignInStore, SignInTarget } from '../../sign-in/sign-in-store.ts';
import type { AccessTokens, AccessToken } from './access-tokens.ts';
import { createClientTokens } from './client-tokens.ts';
import { type ActingHooks, createUserTokens } from './user-tokens.ts';
import { AppError, configError, messageOf } from '#contract/errors.ts';
import type { DpopKey } from '#serve/oauth/dpop-key.ts';
import { oauthHttpFor } from '../../sign-in/oauth-http-for.ts';
import { refreshTokens } from '../../sign-in/refresh-tokens.ts';
import { mergeScopes } from '../../sign-in/scopes.ts';
import type { SignInRecord, Tokens } from '../../sign-in/sign-in-record.ts';

/** User sign-ins, and the name of the server that a connection is for. */
export interface SignIns {
  readonly store: SignInStore;
  readonly server: string;
  /** The connection's user, if the server has one sign-in per user. */
  readonly user?: string | undefined;
}

/** Returns the token source for a server; undefined if its headers already authorize the manager. */
export function openTokens(
  { url, headers, callHeaders, oauth }: RemoteLaunch,
  { init: timeoutMs }: ServerTimeouts,
  signIns: SignIns | undefined,
  { currentUser, identities }: ActingHooks = {},
): AccessTokens | undefined {
  const hide = (token: string): void => signIns?.store.hide(token, signIns.server);
  if (oauth?.grant === 'client_credentials') {
    return createClientTokens(url, oauth, { timeoutMs, hide });
  }
  if (oauth && oauth.grant !== 'authorization_code') {
    if (!currentUser)
      throw configError('The server requires tokens of users, but the manager does not know one.');
    const server = signIns?.server ?? new URL(url).host;
    return createUserTokens({ server, url, oauth, timeoutMs, user: currentUser, signer: identities, hide });
  }
  const isAuthorized = Object.keys({ ...headers, ...callHeaders }).some(
    (name) => name.toLowerCase() === 'authorization',
  );
  if (!signIns || (isAuthorized && !oauth)) return undefined;
  const { store, ...target } = signIns;
  const { issuer, privateKey } = oauth ?? {};
  return createPersonTokens({ store, target: { ...target, url }, issuer, privateKey, timeoutMs });
}

interface PersonTokensOptions {
  readonly store: SignInStore;
  readonly target: SignInTarget;
  readonly issuer: string | undefined;
  readonly privateKey: ClientKey | undefined;
  readonly timeoutMs: number;
}

/** How long before its expiry a token is refreshed. */
const MARGIN_MS = 10_000;

/** Tokens of the user who signed in with `mcp-manager login`. Concurrent callers wait for one refresh. */
function createPersonTokens({
  store,
  target,
  issuer,
  privateKey,
  timeoutMs,
}: PersonTokensOptions): AccessTokens {
  let refreshing: Promise<Tokens | undefined> | undefined;
  const login = `Run \`mcp-manager login ${target.server}\`.`;
  const url = new URL(target.url);
  const dpopKey = createDpopKeys();

  const refresh = (refused: string): Promise<Tokens | undefined> => {
    const openHttp = () => oauthHttpFor({ url, issuer, timeoutMs });
    refreshing ??= refreshTokens(store, target, refused, { openHttp, privateKey, dpopKey })
      .catch((error: unknown) => {
        const reason = messageOf(error).replace(/\.$/, '');
        throw new AppError('UpstreamError', `The sign-in could not be renewed: ${reason}.`, { cause: error });
      })
      .finally(() => (refreshing = undefined));
    return refreshing;
  };
  const required = (): AppError => {
    store.require(target);
    return new AppError('UpstreamError', `The server requires a sign-in. ${login}`);
  };
  const withKey = async (tokens: Tokens | undefined): Promise<AccessToken | undefined> => {
    if (tokens === undefined) return undefined;
    const record = tokens.isBound === true ? store.read(target) : undefined;
    return { value: tokens.access, key: record && (await dpopKey(record)), scope: tokens.scope };
  };

  return {
    async current() {
      const tokens = store.read(target)?.tokens;
      if (tokens?.expiresAt === undefined || Date.now() < tokens.expiresAt - MARGIN_MS)
        return withKey(tokens);
      try {
        return await withKey(await refresh(tokens.access));
      } catch (error) {
        // The authorization server may be restarting, and the token is still valid for a few seconds.
        if (Date.now() < tokens.expiresAt) return withKey(tokens);
        throw error;
      }
    },
    async renew({ token, status, challenge }) {
      if (status === 403) {
        await rememberScope(store, target, challenge?.scope);
        const scope = challenge?.scope === undefined ? '' : ` (${challenge.scope})`;
        throw new AppError(
          'UpstreamError',
          `The sign-in lacks permissions that the server requires${scope}. ${login}`,
        );
      }
      if (token === undefined) {
        // Without a challenge, the server expects something else, such as an API key in a header.
        if (challenge === undefined) return undefined;
        throw required();
      }
      const tokens = await refresh(token);
      if (tokens === undefined || tokens.access === token) throw required();
      return await withKey(tokens);
    },
  };
}

/** Opens a sign-in's key. The same object is used until the key changes, because it holds the servers' nonces. */
function createDpopKeys(): (record: SignInRecord) => Promise<DpopKey | undefined> {
  let known: DpopKey | undefined;
  return async ({ dpopKey: jwk }) => {
    if (jwk === undefined) return undefined;
    if (known?.jwk === jwk) return known;
    // Imported on demand, because few servers require it.
    const { openDpopKey } = await import('#serve/oauth/dpop-key.ts');
    if (known?.jwk !== jwk) known = openDpopKey(jwk);
    return known;
  };
}

/** Requests the missing scopes with the next sign-in, in addition to those already granted. */
async function rememberScope(
  store: SignInStore,
  target: SignInTarget,
  scope: string | undefined,
): Promise<void> {
  await store.update(target, (current) => {
    const wantedScope = mergeScopes(current?.tokens?.scope, current?.wantedScope, scope);
    const isKnown = current === undefined || wantedScope === undefined || wantedScope === current.wantedScope;
    return Promise.resolve(isKnown ? current : { ...current, wantedScope });
  });
}
