import { trimEndOf } from '#core/text/trim-text.ts';

/** A URL for messages, without credentials and query. */
export function shownAddress(baseUrl: string): string {
  const url = URL.parse(baseUrl);
  return url && url.host !== ''
    ? `${url.protocol}//${url.host}${trimEndOf(url.pathname, '/')}`
    : 'an invalid URL';
}
