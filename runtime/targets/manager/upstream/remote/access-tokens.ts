import type { OAuthClientProvider } from '@modelcontextprotocol/sdk/client/auth.js';
import { AppError, messageOf } from '../../../../contract/errors.ts';
import type { OAuthClient } from '../../config/spec.ts';

/** OAuth access tokens for one server. */
export interface AccessTokens {
  /** Returns a valid token. */
  current(): Promise<string>;
  /** Returns a new token after the server rejected one. */
  renew(refused: string): Promise<string>;
}

interface Token {
  readonly value: string;
  readonly until: number;
}

type Tokens = Awaited<ReturnType<OAuthClientProvider['tokens']>>;

/** Time before its expiry after which a token is not used, so that it does not expire in transit. */
const MARGIN_MS = 10_000;

/** Requests tokens with client credentials. Concurrent callers share one request. */
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
    // Another caller may have requested a token in the meantime.
    if (token === seen) token = fetchToken();
    try {
      return (await token)?.value ?? (await valid(refused));
    } catch (error) {
      // The next caller tries again.
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
    if (!tokens) throw new Error('the response contains no token');
    return tokens;
  } catch (error) {
    const where = client.tokenUrl ?? `the authorization server of ${serverUrl}`;
    throw new AppError(
      'UpstreamError',
      `Cannot get an access token for \`${client.clientId}\` from ${where}: ${messageOf(error)}. Check the OAuth settings.`,
      { cause: error },
    );
  }
}

/** Creates a provider for the SDK. The SDK's own one warns on the console without an issuer, which is not configured. */
function providerFor({ clientId, clientSecret, scope }: OAuthClient): OAuthClientProvider {
  const notInteractive = (): never => {
    throw new Error('Client credentials do not involve a user.');
  };
  let tokens: Tokens;
  return {
    redirectUrl: undefined,
    clientMetadata: { redirect_uris: [], grant_types: ['client_credentials'], ...(scope && { scope }) },
    clientInformation: () => ({ client_id: clientId, client_secret: clientSecret }),
    tokens: () => tokens,
    saveTokens(received) {
      tokens = received;
    },
    prepareTokenRequest: (scope) =>
      new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) }),
    redirectToAuthorization: notInteractive,
    saveCodeVerifier: () => undefined,
    codeVerifier: notInteractive,
  };
}
