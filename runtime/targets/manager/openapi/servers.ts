import { isObject } from '#core/json/is-object.ts';
import { addressKind, isIpAddress } from '#core/net/public-address.ts';
import { lookup } from '#core/values/lookup.ts';
import type { ApiSettings } from '../config/spec.ts';
import { UnusableOperation } from './plan.ts';
import { shown, tableOf } from './references.ts';
import { textOf } from './text-limits.ts';

/** Determines the URLs that calls go to. */
export interface ApiServers {
  /** The URL of operations without servers of their own; throws an UnusableOperation if there is none. */
  readonly base: () => string;
  /** Returns the URL of the first of an operation's own servers. */
  readonly own: (servers: unknown) => string;
}

type ServerSettings = Pick<ApiSettings, 'document' | 'baseUrl' | 'origins' | 'variables'>;

/**
 * Calls go only to the server that the configuration states, to the origin of the document, or to the servers in a
 * local file: with a document on the network, its owner could otherwise direct credentials and requests to any host.
 */
export function readServers(
  servers: unknown,
  { document, baseUrl, origins, variables }: ServerSettings,
): ApiServers {
  const documentUrl = (/^https?:/i.test(document) ? URL.parse(document) : undefined) ?? undefined;
  const configured = lookup(variables);
  const allowed = new Set(origins.map((origin) => URL.parse(origin)?.origin ?? origin));

  const read = (listed: unknown, against: URL | undefined): URL => {
    const [first] = Array.isArray(listed) ? (listed as unknown[]) : [];
    const text = expand(isObject(first) ? textOf(first['url']) || '/' : '/', first, configured);
    const url = URL.parse(text, against?.href);
    if (!url) {
      throw new UnusableOperation(
        `its server ${shown(text)} is not an absolute URL; set api.base_url (or --base-url) to the URL of the API`,
      );
    }
    return url;
  };
  const checked = (url: URL, base: URL | undefined): string => {
    if (url.protocol !== 'http:' && url.protocol !== 'https:')
      throw new UnusableOperation(`its server ${shown(url.href)} does not use http or https`);
    if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
      throw new UnusableOperation(`its server URL contains credentials, a query or a fragment`);
    const host = url.hostname;
    if (isIpAddress(host) && addressKind(host) === 'never')
      throw new UnusableOperation(`its server ${url.origin} is not an address of an API`);
    const isLocalFile = documentUrl === undefined && baseUrl === undefined;
    const isNamed =
      url.origin === base?.origin || url.origin === documentUrl?.origin || allowed.has(url.origin);
    if (!isLocalFile && !isNamed) {
      throw new UnusableOperation(
        base === undefined
          ? `the document names the server ${url.origin}, but it comes from ${documentUrl?.origin ?? 'a file'}; if you trust it, set api.base_url (or --base-url) to ${withoutSlash(url.href)}`
          : `its server ${url.origin} is not the API's; if you trust it, add it to api.origins`,
      );
    }
    return withoutSlash(url.href);
  };
  let known: URL | UnusableOperation | undefined;
  const base = (): URL => {
    known ??= baseOf();
    if (known instanceof UnusableOperation) throw known;
    return known;
  };
  const baseOf = (): URL | UnusableOperation => {
    try {
      const configuredBase = baseUrl === undefined ? undefined : URL.parse(baseUrl);
      const url = configuredBase ?? read(servers, documentUrl);
      return new URL(checked(url, configuredBase ?? undefined));
    } catch (error) {
      if (error instanceof UnusableOperation) return error;
      throw error;
    }
  };
  /** An operation that repeats the server of the document has the configured one as well. */
  const atBase = (url: URL): URL => {
    if (baseUrl === undefined) return url;
    let documented: URL;
    try {
      documented = read(servers, undefined);
    } catch {
      return url;
    }
    if (url.origin !== documented.origin) return url;
    return url.href === documented.href ? base() : new URL(url.pathname, base());
  };
  return {
    base: () => withoutSlash(base().href),
    own(listed) {
      const against = baseUrl === undefined && documentUrl ? documentUrl : base();
      return checked(atBase(read(listed, against)), base());
    },
  };
}

const withoutSlash = (url: string): string => {
  let end = url.length;
  while (url[end - 1] === '/') end -= 1;
  return url.slice(0, end);
};

const MAX_URL = 2000;

/** Replaces the variables in a server's URL by configured values, or by their defaults. */
function expand(url: string, server: unknown, configured: Readonly<Record<string, string>>): string {
  if (url.length > MAX_URL) throw new UnusableOperation('its server URL is too long');
  const variables = tableOf(isObject(server) ? server['variables'] : undefined);
  return url.replaceAll(/\{([^{}]*)\}/g, (_, name: string) => {
    const variable = tableOf(variables[name]);
    const own = configured[name];
    const { default: fallback, enum: allowed } = variable;
    const value =
      own ?? (typeof fallback === 'string' || typeof fallback === 'number' ? String(fallback) : undefined);
    if (value === undefined) {
      throw new UnusableOperation(
        `the variable ${shown(name)} of its server has no value; set it in api.variables`,
      );
    }
    if (own !== undefined && Array.isArray(allowed) && !allowed.includes(own)) {
      throw new UnusableOperation(
        `the variable ${shown(name)} of its server must be ${allowed.map(String).join(' or ')}, not ${shown(own)}`,
      );
    }
    return value;
  });
}
