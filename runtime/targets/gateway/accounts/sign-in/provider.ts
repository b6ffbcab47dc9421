import { decodeProtectedHeader } from 'jose';
import { AppError } from '#contract/errors.ts';
import { membersOf } from '#core/json/members-of.ts';
import type { Clock } from '#platform/clock.ts';
import { discoverServer } from '#serve/oauth/discover.ts';
import { createJwks, type KeyFinder, SIGNATURE_ALGORITHMS } from '#serve/oauth/jwks.ts';
import { fetchKeySet } from '#serve/oauth/key-set.ts';
import { createOAuthHttp, type OAuthHttp } from '#serve/oauth/oauth-http.ts';
import { errorResponseOf, OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { ServerMetadata } from '#serve/oauth/server-metadata.ts';
import { verifyToken } from '#serve/oauth/verify-token.ts';
import type { SignInConfig } from './sign-in-config.ts';

/** The sign-in provider. Its metadata and keys are requested on first use and cached. */
export interface SignInProvider {
  /** The URL that a browser is sent to. */
  authorizationUrl(request: AuthorizationRequest): Promise<string>;
  /** Exchanges a code for an ID token; returns the token's verified claims. */
  claims(exchange: CodeExchange): Promise<Readonly<Record<string, unknown>>>;
  /** Throws if a response comes from another provider. @see https://www.rfc-editor.org/rfc/rfc9207 */
  checkIssuer(issuer: string | undefined): Promise<void>;
  /** Fetches the metadata and keys. Returns the number of keys; throws an OAuthFailure. */
  check(): Promise<number>;
  close(): Promise<void>;
}

interface AuthorizationRequest {
  readonly state: string;
  readonly nonce: string;
  readonly challenge: string;
}

interface CodeExchange {
  readonly code: string;
  readonly nonce: string;
  readonly verifier: string;
}

const TIMEOUT_MS = 10_000;
/** How long the metadata is cached. */
const METADATA_AGE_MS = 3_600_000;

export function createSignInProvider(
  config: SignInConfig & { readonly redirectUri: string },
  clock: Clock,
): SignInProvider {
  const { issuer, clientId, redirectUri } = config;
  const http = createOAuthHttp({
    // The operator chose the provider, which is often in the same network.
    allowsPrivate: true,
    allowsHttp: issuer.startsWith('http:'),
    timeoutMs: TIMEOUT_MS,
  });
  let known: { readonly at: number; readonly metadata: Promise<ServerMetadata> } | undefined;
  const metadata = async (): Promise<ServerMetadata> => {
    if (known && clock.now() - known.at < METADATA_AGE_MS) return await known.metadata;
    const loading = loadMetadata(http, issuer);
    known = { at: clock.now(), metadata: loading };
    loading.catch(() => (known = undefined));
    return await loading;
  };
  const loadKeys = async () => await fetchKeySet(http, (await metadata()).jwksUri ?? '');
  const keys: KeyFinder = createJwks({
    now: () => clock.now(),
    // ID tokens come directly from the provider, so unknown key IDs belong to new keys and are never an
    // attack.
    cooldownMs: 0,
    load: loadKeys,
  });

  return {
    authorizationUrl: async ({ state, nonce, challenge }) => {
      const url = new URL((await available(metadata)).authorizationEndpoint ?? '');
      const parameters = {
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: config.scopes.join(' '),
        state,
        nonce,
        code_challenge: challenge,
        code_challenge_method: 'S256',
      };
      for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
      return url.href;
    },
    claims: async ({ code, nonce, verifier }) => {
      const server = await available(metadata);
      const form = new URLSearchParams({
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: verifier,
      });
      const headers = authenticate(config, server, form);
      const { status, body } = await available(() =>
        http.postForm(server.tokenEndpoint ?? '', form, headers),
      );
      if (status !== 200)
        throw refused(errorResponseOf('The provider rejected the authorization code', status, body).message);
      const { id_token: token } = membersOf(body);
      if (typeof token !== 'string') throw refused('The provider did not return an ID token');
      return await verifyIdToken(token, { issuer: server.issuer, clientId, nonce }, keys, clock);
    },
    async checkIssuer(named) {
      const server = await available(metadata);
      if (named === undefined && !server.sendsIssuer) return;
      if (named !== server.issuer) throw refused('The response is not from the configured provider');
    },
    check: async () => (await loadKeys()).keys.length,
    close: () => http.close(),
  };
}

async function loadMetadata(http: OAuthHttp, issuer: string): Promise<ServerMetadata> {
  const found = await discoverServer(http, issuer);
  if (!found) throw new OAuthFailure(`${issuer} does not serve OpenID Connect provider metadata.`);
  const missing = (['authorizationEndpoint', 'tokenEndpoint', 'jwksUri'] as const).find(
    (name) => found[name] === undefined,
  );
  if (missing !== undefined) throw new OAuthFailure(`The metadata of ${issuer} does not contain ${missing}.`);
  return found;
}

/** Adds client authentication to a token request; returns the headers. */
function authenticate(
  { clientId, clientSecret }: SignInConfig,
  { tokenAuthMethods }: ServerMetadata,
  form: URLSearchParams,
): Record<string, string> {
  const isPost = tokenAuthMethods !== undefined && !tokenAuthMethods.includes('client_secret_basic');
  if (clientSecret === undefined || isPost) {
    form.set('client_id', clientId);
    if (clientSecret !== undefined) form.set('client_secret', clientSecret);
    return {};
  }
  const pair = [clientId, clientSecret].map(formEncoded).join(':');
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` };
}

/** Both parts are form-encoded first. @see https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1 */
const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);

interface IdTokenRules {
  readonly issuer: string;
  readonly clientId: string;
  readonly nonce: string;
}

/** Verifies signature, issuer, audience, expiry and nonce. @see https://openid.net/specs/openid-connect-core-1_0.html#IDTokenValidation */
async function verifyIdToken(
  token: string,
  { issuer, clientId, nonce }: IdTokenRules,
  keys: KeyFinder,
  clock: Clock,
): Promise<Readonly<Record<string, unknown>>> {
  const rules = { issuer, audiences: [clientId], algorithms: SIGNATURE_ALGORITHMS };
  const claims = await verifyToken(token, rules, keys, () => clock.now()).catch((error: unknown) => {
    if (!(error instanceof AppError) || error.code !== 'UnauthorizedError') throw error;
    const message = error.message.replace('Invalid access token', 'Invalid ID token').replace(/\.$/, '');
    throw refused(`${message}${algorithmOf(token)}`, error);
  });
  if (claims['nonce'] !== nonce) throw refused('Invalid ID token: its nonce does not match this sign-in');
  const { azp } = claims;
  const isShared = Array.isArray(claims.aud) && claims.aud.length > 1;
  if (azp === undefined ? isShared : azp !== clientId)
    throw refused('Invalid ID token: it was issued to another client');
  return claims;
}

/** A token's algorithm, for messages, because a provider may be configured to use one that is not allowed. */
function algorithmOf(token: string): string {
  try {
    const { alg } = decodeProtectedHeader(token);
    return alg === undefined ? '' : ` (${alg})`;
  } catch {
    return '';
  }
}

const refused = (message: string, cause?: unknown): AppError =>
  new AppError('UnauthorizedError', `${message}. Sign in again.`, { reason: 'sign_in_failed', cause });

/** Converts provider failures to server errors that clients can retry. */
async function available<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof OAuthFailure)) throw error;
    throw new AppError('UnavailableError', `The sign-in provider is not available: ${error.message}`, {
      cause: error,
      reason: 'provider_unavailable',
      retryAfterSeconds: 5,
    });
  }
}
