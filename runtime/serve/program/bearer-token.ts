const SCHEME = 'bearer ';

/**
 * The token in the value of an `Authorization` header, or of another header of that form. Undefined if there is none. The scheme is
 * case-insensitive, and one or more spaces follow it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-11.4
 */
export function readBearerToken(value: string | null | undefined): string | undefined {
  const credentials = value?.trim() ?? '';
  if (credentials.slice(0, SCHEME.length).toLowerCase() !== SCHEME) return undefined;
  return credentials.slice(SCHEME.length).trim();
}
