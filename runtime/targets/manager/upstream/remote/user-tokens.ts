import { AppError, messageOf } from '#contract/errors.ts';
import { createOAuthHttp, type OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { discoverServer } from '#serve/oauth/discover.ts';
import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { ServerUser } from '../../access/caller.ts';
import type { ActingOAuth, CrossAppAccess, OAuthClientSettings, TokenExchange } from '../../config/spec.ts';
import { chooseAuthMethod } from '../../sign-in/client-authentication.ts';
import { findAuthorization } from '../../sign-in/find-authorization.ts';
import { oauthHttpFor } from '../../sign-in/oauth-http-for.ts';
import type { OAuthClient } from '../../sign-in/sign-in-record.ts';
import { requestTokens } from '../../sign-in/token-request.ts';
import type { AccessToken, AccessTokens } from './access-tokens.ts';

/** Signs statements about users, for servers that trust the manager. */
interface IdentitySigner {
  /** Returns a JWT about the user for an audience, and the time when it expires. */
  sign(
    user: ServerUser,
    claims: { readonly issuer: string; readonly audience: string },
  ): Promise<{ readonly token: string; readonly expiresAt: number }>;
}

/** What a connection needs to act for its user. */
export interface ActingHooks {
  /** The connection's user, with the latest access token. */
  readonly currentUser?: (() => ServerUser) | undefined;
  readonly identities?: IdentitySigner | undefined;
}

export interface UserTokensOptions {
  readonly server: string;
  readonly url: string;
  readonly oauth: ActingOAuth;
  readonly timeoutMs: number;
  /** The connection's user, with the latest access token. */
  readonly user: () => ServerUser;
  readonly signer?: IdentitySigner | undefined;
  /** Receives each token, so that logs and errors do not contain it. */
  readonly hide: (token: string) => void;
}

interface Obtained {
  readonly value: string;
  readonly expiresAt: number | undefined;
}

/** How long before its expiry a token is no longer used, so that it does not expire in transit. */
const MARGIN_MS = 10_000;
/** How long a token without an expiry is used. */
const UNKNOWN_EXPIRY_MS = 60_000;

/** Tokens with which the manager acts for the user of a connection. Concurrent requests share one token request. */
export function createUserTokens(options: UserTokensOptions): AccessTokens {
  const { server, hide } = options;
  let token: Promise<Obtained & { readonly until: number }> | undefined;
  const obtain = async (): Promise<Obtained & { readonly until: number }> => {
    try {
      const obtained = await obtainToken(options);
      hide(obtained.value);
      const expiresAt = obtained.expiresAt ?? Date.now() + UNKNOWN_EXPIRY_MS;
      return { ...obtained, until: expiresAt - MARGIN_MS };
    } catch (error) {
      if (error instanceof AppError) throw error;
      const reason = messageOf(error).replace(/\.$/, '');
      throw new AppError('UpstreamError', `Cannot get a token for you for the server ${server}: ${reason}.`, {
        cause: error,
      });
    }
  };
  const valid = async (refused?: string): Promise<AccessToken> => {
    const seen = token;
    const known = await seen?.catch(() => undefined);
    if (known && known.value !== refused && Date.now() < known.until) return { value: known.value };
    // Another request may meanwhile have started one.
    if (token === seen) token = obtain();
    const { value } = await (token ?? obtain());
    return { value };
  };
  return {
    current: () => valid(),
    async renew({ token: refused, status }) {
      // The server decides about the permissions of a user; another token would have the same.
      if (status === 403) return undefined;
      const { value } = await valid(refused);
      return value === refused ? undefined : { value };
    },
  };
}

async function obtainToken(options: UserTokensOptions): Promise<Obtained> {
  const { oauth, user, signer, url } = options;
  if (oauth.grant === 'signed_identity') {
    if (!signer) throw new OAuthFailure('this process has no key for signed identities');
    const { token, expiresAt } = await signer.sign(user(), {
      issuer: oauth.issuer,
      audience: oauth.audience ?? url,
    });
    return { value: token, expiresAt };
  }
  const subject = user().accessToken;
  if (subject === undefined) throw new OAuthFailure('it requires an access token of yours');
  return oauth.grant === 'token_exchange'
    ? await exchange(oauth, subject, options)
    : await crossAppAccess(oauth, subject, options);
}

const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange';
const JWT_BEARER = 'urn:ietf:params:oauth:grant-type:jwt-bearer';
const TOKEN_TYPE = 'urn:ietf:params:oauth:token-type:';
const ACCESS_TOKEN_TYPE = `${TOKEN_TYPE}access_token`;
const ID_JAG_TYPE = `${TOKEN_TYPE}id-jag`;

/**
 * Exchanges the user's access token for one of the server.
 * @see https://www.rfc-editor.org/rfc/rfc8693
 */
async function exchange(
  { issuer, tokenUrl, audience, scope, ...settings }: TokenExchange,
  subject: string,
  { url, timeoutMs }: UserTokensOptions,
): Promise<Obtained> {
  return await withConfigured(tokenUrl ?? issuer ?? '', timeoutMs, async (http) => {
    const found = tokenUrl === undefined ? await endpointOf(http, issuer ?? '') : { endpoint: tokenUrl };
    const { access, expiresAt } = await requestTokens(http, {
      issuer,
      ...found,
      client: clientOf(settings, found.methods),
      grant: {
        grant_type: TOKEN_EXCHANGE,
        subject_token: subject,
        subject_token_type: ACCESS_TOKEN_TYPE,
        requested_token_type: ACCESS_TOKEN_TYPE,
        // One of them names the server; authorization servers reject parameters that they do not know.
        ...(audience === undefined ? { resource: url } : { audience }),
        scope,
      },
    });
    return { value: access, expiresAt };
  });
}

/**
 * Exchanges the user's token at the identity provider for an assertion, and that assertion at the server's
 * authorization server for an access token.
 * @see https://github.com/modelcontextprotocol/ext-auth (Enterprise-Managed Authorization)
 */
async function crossAppAccess(
  { identityProvider, identityClient, identityToken, issuer, scope, ...settings }: CrossAppAccess,
  subject: string,
  { url, timeoutMs }: UserTokensOptions,
): Promise<Obtained> {
  const serverUrl = new URL(url);
  const http = await oauthHttpFor({ url: serverUrl, issuer, timeoutMs });
  try {
    const { server, resource } = await findAuthorization(http, {
      url: serverUrl,
      challenge: undefined,
      issuer,
    });
    const endpoint = server.tokenEndpoint;
    if (endpoint === undefined) throw new OAuthFailure('the authorization server has no token endpoint');
    const assertion = await withConfigured(identityProvider, timeoutMs, async (provider) => {
      const found = await endpointOf(provider, identityProvider);
      return await requestTokens(provider, {
        issuer: identityProvider,
        ...found,
        client: clientOf(identityClient, found.methods),
        // The assertion is not an access token, so its type is not `Bearer`.
        issues: ID_JAG_TYPE,
        grant: {
          grant_type: TOKEN_EXCHANGE,
          requested_token_type: ID_JAG_TYPE,
          audience: server.issuer,
          resource: resource?.resource ?? url,
          scope,
          subject_token: subject,
          subject_token_type: TOKEN_TYPE + (identityToken ?? 'access_token'),
        },
      });
    });
    const { access, expiresAt } = await requestTokens(http, {
      endpoint,
      issuer: server.issuer,
      client: clientOf(settings, server.tokenAuthMethods),
      grant: { grant_type: JWT_BEARER, assertion: assertion.access, scope },
    });
    return { value: access, expiresAt };
  } finally {
    await http.close();
  }
}

const clientOf = (
  { clientId: id, clientSecret: secret, privateKey }: OAuthClientSettings,
  methods: readonly string[] | undefined,
): OAuthClient => ({
  id,
  authMethod: chooseAuthMethod({ secret, privateKey }, methods),
  privateKey,
  ...(secret !== undefined && { secret }),
});

/** Finds the token endpoint of a configured authorization server. */
async function endpointOf(
  http: OAuthHttp,
  issuer: string,
): Promise<{ readonly endpoint: string; readonly methods?: readonly string[] | undefined }> {
  const server = await discoverServer(http, issuer);
  if (server?.tokenEndpoint !== undefined)
    return { endpoint: server.tokenEndpoint, methods: server.tokenAuthMethods };
  throw new OAuthFailure(`the authorization server ${issuer} publishes no token endpoint`);
}

/** Runs requests to an authorization server from the configuration, which may therefore be on this network. */
async function withConfigured<Result>(
  url: string,
  timeoutMs: number,
  work: (http: OAuthHttp) => Promise<Result>,
): Promise<Result> {
  const http = createOAuthHttp({ allowsPrivate: true, allowsHttp: url.startsWith('http:'), timeoutMs });
  try {
    return await work(http);
  } finally {
    await http.close();
  }
}
