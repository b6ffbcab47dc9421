import type { MiddlewareHandler } from 'hono';
import type { Lifecycle } from '../lifecycle.ts';

/** For routes with work to do: what was let in is answered before the server ends, what was not is told to come back. */
export const admit =
  (lifecycle: Lifecycle): MiddlewareHandler =>
  async (_c, next) => {
    const leave = lifecycle.enter();
    try {
      await next();
    } finally {
      leave();
    }
  };
