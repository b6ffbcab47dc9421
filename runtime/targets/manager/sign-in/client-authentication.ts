import type { RegisteredClient } from './sign-in-record.ts';

type AuthMethod = RegisteredClient['authMethod'];

/** Chooses how a client authenticates. Servers that list no methods support the header (RFC 8414, section 2). */
export function chooseAuthMethod(
  secret: string | undefined,
  supported: readonly string[] | undefined,
  registered?: unknown,
): AuthMethod {
  if (secret === undefined) return 'none';
  if (registered === 'client_secret_basic' || registered === 'client_secret_post') return registered;
  if (supported === undefined || supported.includes('client_secret_basic')) return 'client_secret_basic';
  return 'client_secret_post';
}

/** Adds the authentication of a client to a form. Returns the headers of the request. */
export function authenticateClient(
  { id, secret = '', authMethod }: RegisteredClient,
  form: URLSearchParams,
): Record<string, string> {
  if (authMethod === 'client_secret_basic') {
    // Both parts are encoded like a form (RFC 6749, section 2.3.1).
    const credentials = `${formEncoded(id)}:${formEncoded(secret)}`;
    return { authorization: `Basic ${Buffer.from(credentials).toString('base64')}` };
  }
  form.set('client_id', id);
  if (authMethod === 'client_secret_post') form.set('client_secret', secret);
  return {};
}

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
