/** Matches a valid header name, according to RFC 9110. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** Matches a valid header value: one-byte characters, except those that end a header. */
const HEADER_VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

export const HEADER_VALUE_RULE =
  'contains characters that are not allowed in headers; use one line of ASCII or Latin-1 characters';

/** Headers for the connection, which the HTTP client sets itself. */
const CONNECTION_HEADERS: ReadonlySet<string> = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

export const isHeaderValue = (value: string): boolean => HEADER_VALUE.test(value);

/** Returns why a header name is invalid; undefined if it is valid. */
export function headerNameProblem(name: string): string | undefined {
  if (!HEADER_NAME.test(name))
    return 'is not a valid header name; use letters, digits and dashes, without spaces';
  if (CONNECTION_HEADERS.has(name.toLowerCase())) return 'is set automatically; remove it';
  return undefined;
}
