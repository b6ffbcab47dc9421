import type { Env, Hono } from 'hono';
import type { BlankEnv } from 'hono/types';
import type { Operation } from './openapi/operation.ts';

/** A group of routes with their OpenAPI operations. */
export interface RouteGroup<E extends Env = BlankEnv> {
  readonly routes: Hono<E>;
  readonly operations: readonly Operation[];
}
