import type { Clock } from '#platform/clock.ts';
import { expiringToken, type Expiring } from './access.ts';
import { requestToken } from './request-token.ts';
import { trimEndOf } from '#core/text/trim-text.ts';

/** An application registered in Microsoft Entra. */
export interface EntraClient {
  readonly tenantId: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** URL of the server that issues tokens; national clouds have their own. */
  readonly authority: string;
  readonly scope: string;
}

export const ENTRA_AUTHORITY = 'https://login.microsoftonline.com';
export const ENTRA_SCOPE = 'https://cognitiveservices.azure.com/.default';

/**
 * Requests a token with client credentials.
 * @see https://learn.microsoft.com/entra/identity-platform/v2-oauth2-client-creds-grant-flow
 */
export async function entraToken(
  { tenantId, clientId, clientSecret, authority, scope }: EntraClient,
  clock: Clock,
): Promise<Expiring<string>> {
  const requestedAt = clock.now();
  const answer = await requestToken({
    url: `${trimEndOf(authority, '/')}/${encodeURIComponent(tenantId)}/oauth2/v2.0/token`,
    form: { grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret, scope },
    what: 'a token of Microsoft Entra',
    clock,
  });
  return expiringToken(answer, requestedAt, 'Microsoft Entra');
}
