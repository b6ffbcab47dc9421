import { Hono, type MiddlewareHandler } from 'hono';
import type { BodyReader } from '#serve/http/body.ts';
import type { ShellEnv } from '#serve/http/request-id.ts';
import type { RouteGroup } from '#serve/http/route-group.ts';
import type { Guards } from '../sign-in/sign-in.ts';
import type { AbsoluteUrl } from './absolute-url.ts';

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
