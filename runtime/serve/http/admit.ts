import type { MiddlewareHandler } from 'hono';
import type { Lifecycle } from '../lifecycle.ts';
import { runAdmitted } from '../run-admitted.ts';

/**
 * Middleware for routes with work to do: admitted requests are answered before the server stops, others get a retryable error.
 */
export const admit =
  (lifecycle: Lifecycle): MiddlewareHandler =>
  (_c, next) =>
    runAdmitted(lifecycle, next);
