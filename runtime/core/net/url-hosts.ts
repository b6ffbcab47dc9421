import { isHostName } from '../text/web-origin.ts';

/** A host of which URLs are allowed. */
export interface UrlHost {
  /** The name as the URL class writes it: in lower case, and with IDNs in ASCII. */
  readonly name: string;
  /** Whether all names below this one are allowed, instead of this one. */
  readonly isWildcard: boolean;
  /** Default: the port of the URL's scheme. */
  readonly port: string | undefined;
}

/** Reads a host such as `images.example`, `images.example:8443` or `*.images.example`. */
export function readUrlHost(text: string): UrlHost | undefined {
  const isWildcard = text.startsWith('*.');
  const host = isWildcard ? text.slice(2) : text;
  const name = isHostName(host) && !host.includes('*') ? URL.parse(`http://${host}`)?.hostname : undefined;
  if (name === undefined || name === '') return undefined;
  return { name, isWildcard, port: /:(\d+)$/.exec(host)?.[1] };
}

export const URL_HOST_RULE = 'Use a name such as images.example, images.example:8443 or *.images.example.';

/** Whether a URL has one of these hosts. */
export const isUrlOf = (url: URL, hosts: readonly UrlHost[]): boolean =>
  hosts.some(
    ({ name, isWildcard, port }) =>
      (isWildcard ? url.hostname.endsWith(`.${name}`) : url.hostname === name) &&
      (port === undefined ? url.port === '' : portOf(url) === port),
  );

/** The URL class omits the port of the scheme. */
const portOf = ({ port, protocol }: URL): string => port || (protocol === 'https:' ? '443' : '80');
