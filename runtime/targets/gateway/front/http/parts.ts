import { Hono, type MiddlewareHandler } from 'hono';
import type { BodyReader } from '../../../../serve/http/body.ts';
import type { ShellEnv } from '../../../../serve/http/request-id.ts';
import type { RouteGroup } from '../../../../serve/http/route-group.ts';
import type { Guards } from '../sign-in/sign-in.ts';

/** What routes are made with. */
export interface HttpParts {
  readonly guards: Guards;
  /** For datasets, experiments and what belongs to them. */
  readonly workGuard: MiddlewareHandler<ShellEnv>;
  /** For the few fields of what is administered; models get theirs in another way. */
  readonly readBody: BodyReader;
  /** For requests that may do without a body, which is then an empty object. */
  readonly readOptionalBody: BodyReader;
}

export type GatewayRoutes = RouteGroup<ShellEnv>;

export const newRoutes = (): Hono<ShellEnv> => new Hono<ShellEnv>();
