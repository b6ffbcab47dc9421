/**
 * Returns the `Authorization` header of a client. Client ID and secret are both form-encoded. @see
 * https://www.rfc-editor.org/rfc/rfc6749#section-2.3.1
 */
export const basicAuthorization = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString('base64')}`;

const formEncoded = (text: string): string => new URLSearchParams({ '': text }).toString().slice(1);
