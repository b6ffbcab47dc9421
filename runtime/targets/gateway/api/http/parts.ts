import type { Context } from 'hono';
import { createBaseAddresses } from '#serve/http/own-address.ts';
import type { DeclareRoute } from '#serve/http/route.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import type { Guards } from '../guards.ts';

/** Path prefix for datasets, experiments, workflows and jobs. */
export const API = '/api/v1';

/** Functions that resources use to declare their routes. */
export interface HttpParts {
  readonly guards: Guards;
  readonly route: DeclareRoute;
  readonly absoluteUrl: AbsoluteUrl;
}

/** Returns the URL with which clients can call a path of the gateway. */
export type AbsoluteUrl = (c: Context, path: string) => string;

/**
 * Creates the function that returns such URLs. The URLs begin with the configured URL. If none is
 * configured, a `Host` header is only trusted if the configuration or the connection confirms it, because
 * clients and misconfigured proxies can send any value.
 */
export function createAbsoluteUrl(
  { host, allowedHosts, publicUrl }: GatewayAppOptions['server'],
  signInUrl: string | undefined,
): AbsoluteUrl {
  const hostRules = { hostname: host, allowedHosts };
  const { link } = createBaseAddresses({ publicUrl: publicUrl ?? signInUrl, hostRules });
  return (c, path) => `${link(c)}${path}`;
}
