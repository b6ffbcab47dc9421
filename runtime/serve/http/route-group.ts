import type { Env, Hono } from 'hono';
import type { BlankEnv } from 'hono/types';
import type { Operation } from './openapi/operation.ts';

/** Routes that belong together, and what the OpenAPI document says of them. */
export interface RouteGroup<E extends Env = BlankEnv> {
  readonly routes: Hono<E>;
  readonly operations: readonly Operation[];
}
