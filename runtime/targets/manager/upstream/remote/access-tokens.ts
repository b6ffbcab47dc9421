import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { AppError, messageOf } from '../../../../contract/errors.ts';
import type { OAuthClient } from '../../config/spec.ts';

/** OAuth access tokens for one server. */
export interface AccessTokens {
  /** The token that is valid now. */
  current(): Promise<string>;
  /** Another one, because the server did not take this. */
  renew(refused: string): Promise<string>;
}

interface Token {
  readonly value: string;
  readonly until: number;
}

type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

/** A token is given up so long before its end, that it does not run out on its way. */
const MARGIN_MS = 10_000;

/** Gets tokens with the client's own credentials; one request for a token serves all that wait for it. */
export function createAccessTokens(serverUrl: string, client: OAuthClient, timeoutMs: number): AccessTokens {
  let token: Promise<Token> | undefined;

  const fetchToken = async (): Promise<Token> => {
    const from = performance.now();
    const { access_token: value, expires_in: seconds } = await requestToken(serverUrl, client, timeoutMs);
    return { value, until: seconds === undefined ? Infinity : from + seconds * 1000 - MARGIN_MS };
  };
  const valid = async (refused?: string): Promise<string> => {
    const seen = token;
    const known = await seen;
    if (known && known.value !== refused && performance.now() < known.until) return known.value;
    // Others may have come to this point before, and asked already.
    if (token === seen) token = fetchToken();
    try {
      return (await token)?.value ?? (await valid(refused));
    } catch (error) {
      // The next one to ask tries again.
      token = undefined;
      throw error;
    }
  };
  return { current: () => valid(), renew: valid };
}

async function requestToken(serverUrl: string, client: OAuthClient, timeoutMs: number) {
  const { auth, fetchToken } = await import('@modelcontextprotocol/sdk/client/auth.js');
  const signal = AbortSignal.timeout(timeoutMs);
  const fetchFn = (url: string | URL, init?: RequestInit) => fetch(url, { ...init, signal });
  const provider = providerFor(client);
  try {
    const { tokenUrl } = client;
    if (tokenUrl !== undefined) {
      const metadata = {
        issuer: tokenUrl,
        authorization_endpoint: tokenUrl,
        token_endpoint: tokenUrl,
        response_types_supported: [],
      };
      return await fetchToken(provider, tokenUrl, { metadata, fetchFn });
    }
    await auth(provider, { serverUrl, fetchFn });
    const tokens = await provider.tokens();
    if (!tokens) throw new Error('no token was given');
    return tokens;
  } catch (error) {
    const where = client.tokenUrl ?? `the authorization server of ${serverUrl}`;
    throw new AppError(
      'UpstreamError',
      `No access token for \`${client.clientId}\` from ${where}: ${messageOf(error)}. Check the OAuth settings.`,
      { cause: error },
    );
  }
}

/** The SDK's own provider warns on the console unless it is told an issuer, which a configuration need not know. */
function providerFor({ clientId, clientSecret, scope }: OAuthClient): OAuthClientProvider {
  const notInteractive = (): never => {
    throw new Error('Client credentials need no user.');
  };
  let tokens: Tokens;
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: ['client_credentials'], ...(scope && { scope }) },
    clientInformation: () => ({ client_id: clientId, client_secret: clientSecret }),
    tokens: () => tokens,
    saveTokens(given) {
      tokens = given;
    },
    prepareTokenRequest: (scope) =>
      new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
    redirectToAuthorization: notInteractive,
    saveCodeVerifier: () => undefined,
    codeVerifier: notInteractive,
  };
}
