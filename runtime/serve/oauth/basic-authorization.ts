/**
 * Returns a client's `Authorization` header. Both parts are encoded as in a form. @see
 * https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
export const basicAuthorization = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
