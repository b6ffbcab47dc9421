import type { Context } from 'hono';
import { createBaseAddresses } from '#serve/http/base-address.ts';
import type { GatewayAppOptions } from '../app-options.ts';

/** Returns the URL of a path of the gateway, as its clients can use it. */
export type AbsoluteUrl = (c: Context, path: string) => string;

/**
 * Creates the function that returns such URLs. They begin with the URL of the configuration; without one, a `Host` header counts
 * only if the configuration or the connection confirms it, because clients and bad proxies choose it.
 */
export function createAbsoluteUrl(
  { host, allowedHosts, publicUrl }: GatewayAppOptions['server'],
  signInUrl: string | undefined,
): AbsoluteUrl {
  const hostRules = { hostname: host, allowedHosts };
  const { link } = createBaseAddresses({ publicUrl: publicUrl ?? signInUrl, hostRules });
  return (c, path) => `${link(c)}${path}`;
}
