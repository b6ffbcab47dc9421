/** As RFC 9110 has them. */
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]+$/i;
/** What one byte each can carry, without what ends a header. */
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/;

/** They say how a message is sent, and whoever sends it sets them. */
const OF_THE_CONNECTION: ReadonlySet<string> = new Set([
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

/** Why a header of this name cannot be sent; undefined if it can. */
export function whyNoHeaderName(name: string): string | undefined {
  if (!NAME.test(name)) return 'is not a valid header name; use letters, digits and dashes, without spaces';
  if (OF_THE_CONNECTION.has(name.toLowerCase())) return 'is set by the connection itself; remove it';
  return undefined;
}

export const isHeaderValue = (value: string): boolean => VALUE.test(value);

export const HEADER_VALUE_RULE =
  'contains characters that headers cannot carry; use one line of ASCII or Latin-1 characters';
