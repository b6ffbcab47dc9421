import { headerParameters } from './header-parameters.ts';

/**
 * Returns the URL of the next page in a `Link` header, which can be relative.
 * https://www.rfc-editor.org/rfc/rfc8288
 */
export function nextLink(header: string): string | undefined {
  let at = 0;
  for (;;) {
    const start = header.indexOf('<', at);
    const end = start === -1 ? -1 : header.indexOf('>', start);
    if (end === -1) return undefined;
    const { parameters, end: next } = headerParameters(header, end + 1);
    if (parameters.get('rel')?.toLowerCase().split(' ').includes('next')) return header.slice(start + 1, end);
    at = next;
  }
}
