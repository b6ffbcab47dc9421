import { basicAuthorization } from '#serve/oauth/basic-authorization.ts';
import type { OAuthClient, RegisteredClient } from './sign-in-record.ts';

type AuthMethod = RegisteredClient['authMethod'];

/** A client's credentials. */
interface Credentials extends Pick<OAuthClient, 'privateKey'> {
  readonly secret: string | undefined;
}

const ASSERTION_TYPE = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';

/** Selects the client authentication method. Servers that list none support HTTP Basic (RFC 8414, section 2). */
export function chooseAuthMethod(
  { secret, privateKey }: Credentials,
  supported: readonly string[] | undefined,
  registered?: unknown,
): AuthMethod {
  if (privateKey !== undefined) return 'private_key_jwt';
  if (secret === undefined) return 'none';
  if (registered === 'client_secret_basic' || registered === 'client_secret_post') return registered;
  if (supported === undefined || supported.includes('client_secret_basic')) return 'client_secret_basic';
  return 'client_secret_post';
}

/** Adds client authentication to a form. `audience` is the authorization server. Returns the request headers. */
export async function authenticateClient(
  { id, secret = '', authMethod, privateKey }: OAuthClient,
  form: URLSearchParams,
  audience: string,
): Promise<Record<string, string>> {
  if (authMethod === 'client_secret_basic') return { authorization: basicAuthorization(id, secret) };
  form.set('client_id', id);
  if (authMethod === 'client_secret_post') form.set('client_secret', secret);
  if (privateKey !== undefined) {
    // Imported on demand, because few clients have a key.
    const { clientAssertion } = await import('./client-assertion.ts');
    form.set('client_assertion_type', ASSERTION_TYPE);
    form.set('client_assertion', await clientAssertion(id, privateKey, audience));
  }
  return {};
}
