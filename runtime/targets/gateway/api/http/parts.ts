import { type Context, Hono, type MiddlewareHandler } from 'hono';
import { createBaseAddresses } from '#serve/http/base-address.ts';
import type { BodyReader } from '#serve/http/body.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import type { GatewayAppOptions } from '../app-options.ts';
import type { Guards } from '../sign-in/sign-in.ts';

/** Path prefix of datasets, experiments, workflows and jobs. */
export const API = '/api/v1';

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

/** The functions with which all routes check and read requests. */
export interface HttpParts {
  readonly guards: Guards;
  /** Guard of datasets, experiments, workflows and jobs. */
  readonly labGuard: MiddlewareHandler<ShellEnv>;
  /** Reads small bodies. Model requests are read in another way. */
  readonly readBody: BodyReader;
  /** Reads optional bodies; a missing body is an empty object. */
  readonly readOptionalBody: BodyReader;
  readonly absoluteUrl: AbsoluteUrl;
}

export type GatewayRoutes = RouteGroup<ShellEnv>;

export const newRoutes = (): Hono<ShellEnv> => new Hono<ShellEnv>();
