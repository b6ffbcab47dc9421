import type { MiddlewareHandler } from 'hono';
import type { Lifecycle } from '../lifecycle.ts';

/**
 * Middleware for routes with work to do: admitted requests are answered before the server stops, others get a retryable error.
 */
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

/** Same for the work that answers an exchange. */
export const admitted =
  <Exchange>(lifecycle: Lifecycle, answer: (exchange: Exchange) => Promise<void>) =>
  async (exchange: Exchange): Promise<void> => {
    const leave = lifecycle.enter();
    try {
      await answer(exchange);
    } finally {
      leave();
    }
  };
