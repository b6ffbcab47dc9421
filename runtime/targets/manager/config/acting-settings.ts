import { type ActingOAuth, IDENTITY_TOKENS, type TokenExchange } from './spec.ts';

/** Returns the settings of grant types with which the manager acts for each user. */
export function actingSettings(
  grant: string,
  value: Partial<Record<string, string>>,
  common: Pick<TokenExchange, 'scope' | 'issuer' | 'privateKey'>,
  complain: (message: string) => void,
): ActingOAuth | undefined {
  const client = { clientId: value['client_id'] ?? '', clientSecret: value['client_secret'] };
  const { issuer = '' } = common;
  const audience = value['audience'];
  if (grant === 'signed_identity') return { grant, issuer, audience };
  if (grant === 'token_exchange') {
    return { grant, ...client, ...common, tokenUrl: value['token_url'], audience };
  }
  if (grant !== 'cross_app_access') return undefined;
  const written = value['identity_token'];
  const identityToken = IDENTITY_TOKENS.find((one) => one === written);
  if (written !== undefined && !identityToken)
    complain(`: identity_token must be ${IDENTITY_TOKENS.join(' or ')}, not ${JSON.stringify(written)}.`);
  return {
    grant,
    ...client,
    ...common,
    identityProvider: value['identity_provider'] ?? '',
    identityClient: {
      clientId: value['identity_client_id'] ?? '',
      clientSecret: value['identity_client_secret'],
    },
    identityToken,
  };
}
