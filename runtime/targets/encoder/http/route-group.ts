import type { Hono } from 'hono';
import type { Operation } from '../../../serve/http/openapi/operation.ts';

/** Routes that belong together, and what the OpenAPI document says of them. */
export interface RouteGroup {
  readonly routes: Hono;
  readonly operations: readonly Operation[];
}
