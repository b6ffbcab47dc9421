import { OAuthFailure } from '#serve/oauth/oauth-failure.ts';
import type { DpopKey } from '#serve/oauth/dpop-key.ts';
import type { OAuthHttp } from '#serve/oauth/oauth-http.ts';
import type { ClientKey } from '../config/spec.ts';
import type { SignInRecord, Tokens } from './sign-in-record.ts';
import type { SignInStore, SignInTarget } from './sign-in-store.ts';
import { requestTokens } from './token-request.ts';

/** Codes that mean that the refresh token or the client is no longer valid. Other failures may be temporary. */
const FINAL = new Set(['invalid_grant', 'invalid_client', 'unauthorized_client']);

export interface RefreshParts {
  readonly openHttp: () => Promise<OAuthHttp>;
  readonly privateKey: ClientKey | undefined;
  /** Returns the key that a sign-in's tokens are bound to. */
  readonly dpopKey: (record: SignInRecord) => Promise<DpopKey | undefined>;
}

/**
 * Replaces a rejected or expired access token. The store's lock ensures that a refresh token is used only
 * once across processes, because servers that rotate refresh tokens revoke the whole sign-in on reuse.
 * Returns undefined if a user must sign in again.
 */
export async function refreshTokens(
  store: SignInStore,
  target: SignInTarget,
  refused: string,
  { openHttp, privateKey, dpopKey }: RefreshParts,
): Promise<Tokens | undefined> {
  const record = await store.update(target, async (current) => {
    // Another process may have refreshed the tokens while this one waited.
    if (current?.tokens === undefined || current.tokens.access !== refused) return current;
    const { tokens, ...rest } = current;
    if (tokens.refresh === undefined) return rest;
    const http = await openHttp();
    try {
      const next = await requestTokens(http, {
        endpoint: current.tokenEndpoint,
        issuer: current.issuer,
        client: { ...current.client, privateKey },
        dpop: await dpopKey(current),
        grant: { grant_type: 'refresh_token', refresh_token: tokens.refresh, resource: current.resource },
      });
      const kept = { refresh: tokens.refresh, ...(tokens.scope !== undefined && { scope: tokens.scope }) };
      return { ...current, tokens: { ...kept, ...next } };
    } catch (error) {
      if (error instanceof OAuthFailure && FINAL.has(error.code ?? '')) return rest;
      throw error;
    } finally {
      await http.close();
    }
  });
  return record?.tokens;
}
