import { AppError, messageOf } from '#contract/errors.ts';
import type { DpopKey } from '#serve/oauth/dpop-key.ts';
import type { ServerMetadata } from '#serve/oauth/server-metadata.ts';
import type { ClientCredentials } from '../../config/spec.ts';
import { chooseAuthMethod } from '../../sign-in/client-authentication.ts';
import { findAuthorization } from '../../sign-in/find-authorization.ts';
import { oauthHttpFor } from '../../sign-in/oauth-http-for.ts';
import { mergeScopes } from '../../sign-in/scopes.ts';
import { requestTokens } from '../../sign-in/token-request.ts';
import type { Tokens } from '../../sign-in/sign-in-record.ts';
import type { AccessToken, AccessTokens, TokenRejection } from './access-tokens.ts';

interface Token extends AccessToken {
  readonly until: number;
}

/** How long before its expiry a token is no longer used, so that it does not expire in transit. */
const MARGIN_MS = 10_000;

export interface ClientTokensOptions {
  readonly timeoutMs: number;
  /** Receives each token, so that logs and errors do not contain it. */
  readonly hide?: ((token: string) => void) | undefined;
}

/** Requests tokens with client credentials. Concurrent callers share one request. */
export function createClientTokens(
  serverUrl: string,
  client: ClientCredentials,
  { timeoutMs, hide }: ClientTokensOptions,
): AccessTokens {
  let token: Promise<Token> | undefined;
  let scope = client.scope;
  let challenge: TokenRejection['challenge'];
  let key: DpopKey | undefined;
  const openKey = async (): Promise<DpopKey> => {
    // Imported on demand, because few servers require it.
    const { openDpopKey } = await import('#serve/oauth/dpop-key.ts');
    return (key ??= openDpopKey());
  };

  const fetchToken = async (): Promise<Token> => {
    const tokens = await requestToken(serverUrl, { ...client, scope }, { challenge, timeoutMs, openKey });
    const { access, expiresAt = Infinity, isBound = false } = tokens;
    hide?.(access);
    return { value: access, until: expiresAt - MARGIN_MS, ...(isBound && { key }) };
  };
  const valid = async (refused?: string): Promise<Token> => {
    const seen = token;
    const known = await seen;
    if (known && known.value !== refused && Date.now() < known.until) return known;
    // Another caller may meanwhile have requested a token.
    if (token === seen) token = fetchToken();
    try {
      return (await token) ?? (await valid(refused));
    } catch (error) {
      // The next caller tries again.
      token = undefined;
      throw error;
    }
  };
  return {
    current: () => valid(),
    async renew(refusal) {
      challenge = refusal.challenge ?? challenge;
      if (refusal.status === 403) {
        const wider = mergeScopes(scope, refusal.challenge?.scope);
        // The server requires scopes that were already requested for the token.
        if (wider === scope) return undefined;
        scope = wider;
      }
      return valid(refusal.token);
    },
  };
}

interface RequestParts {
  readonly challenge: TokenRejection['challenge'];
  readonly timeoutMs: number;
  readonly openKey: () => Promise<DpopKey>;
}

async function requestToken(
  serverUrl: string,
  client: ClientCredentials,
  { challenge, timeoutMs, openKey }: RequestParts,
): Promise<Tokens> {
  const url = new URL(serverUrl);
  const { clientId: id, clientSecret: secret, privateKey, tokenUrl, issuer } = client;
  try {
    const http = await oauthHttpFor({ url, issuer: issuer ?? tokenUrl, timeoutMs });
    try {
      const found =
        tokenUrl === undefined ? await findAuthorization(http, { url, challenge, issuer }) : undefined;
      const endpoint = tokenUrl ?? tokenEndpointOf(found?.server);
      const supported = found?.resource?.scopesSupported?.join(' ');
      const requiresDpop = found?.requiresDpop ?? challenge?.isDpop === true;
      const authMethod = chooseAuthMethod({ secret, privateKey }, found?.server.tokenAuthMethods);
      return await requestTokens(http, {
        endpoint,
        issuer: found?.server.issuer ?? issuer,
        client: { id, authMethod, privateKey, ...(secret !== undefined && { secret }) },
        grant: {
          grant_type: 'client_credentials',
          scope: client.scope ?? mergeScopes(challenge?.scope ?? supported),
          resource: found?.resource?.resource,
        },
        dpop: requiresDpop ? await openKey() : undefined,
      });
    } finally {
      await http.close();
    }
  } catch (error) {
    const where = tokenUrl ?? `the authorization server of ${url.origin}${url.pathname}`;
    const reason = messageOf(error).replace(/\.$/, '');
    throw new AppError(
      'UpstreamError',
      `Cannot get an access token for \`${id}\` from ${where}: ${reason}. Check the OAuth settings.`,
      { cause: error },
    );
  }
}

function tokenEndpointOf(server: ServerMetadata | undefined): string {
  if (server?.tokenEndpoint !== undefined) return server.tokenEndpoint;
  throw new Error('the authorization server has no token endpoint');
}
