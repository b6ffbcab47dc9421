import type { TableReader } from './table-reader.ts';

/** Keys of `[servers.oauth]`. */
export const OAUTH_KEYS = [
  'client_id',
  'client_secret',
  'scope',
  'token_url',
  'grant',
  'issuer',
  'client_metadata_url',
  'redirect_uri',
  'sign_in',
  'private_key',
  'private_key_id',
  'audience',
  'identity_provider',
  'identity_client_id',
  'identity_client_secret',
  'identity_token',
] as const;

export type OAuthKey = (typeof OAUTH_KEYS)[number];
export type OAuthEntry = Readonly<Partial<Record<OAuthKey, string>>>;

/** Parses `[servers.oauth]` in either file. */
export function readOAuth(table: TableReader | undefined): OAuthEntry | undefined {
  if (!table) return undefined;
  const values = OAUTH_KEYS.map((key) => [key, table.text(key)] as const);
  return Object.fromEntries(values.filter(([, value]) => value !== undefined));
}
