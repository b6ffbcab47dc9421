import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { durationHistogram } from '../durations.ts';
import type { Kernel } from '../kernel.ts';
import type { ShellEnv } from './request-id.ts';

/** Logs and measures every request; those for `quietPaths`, which machines ask every few seconds, only at level debug. */
export function observeRequests(
  kernel: Kernel,
  quietPaths: ReadonlySet<string>,
): MiddlewareHandler<ShellEnv> {
  const durations = durationHistogram(kernel.metrics, {
    name: 'http_request_duration_seconds',
    help: 'Time to answer an HTTP request, up to its first byte.',
    labelNames: ['method', 'route', 'status'],
  });
  return async (c, next) => {
    const start = performance.now();
    await next();
    const ms = performance.now() - start;
    const { method, path } = c.req;
    const { status } = c.res;
    durations.observe({ method, route: routePattern(c), status }, ms / 1000);
    const level = quietPaths.has(path) || path === '/metrics' ? 'debug' : 'info';
    const caller = c.get('caller')?.name;
    const line = { requestId: c.get('requestId'), caller, method, path, status, ms: Number(ms.toFixed(3)) };
    kernel.log[level](line, 'request');
  };
}

/** The pattern of the matched route: paths come from callers and have no end, patterns are few. */
const routePattern = (c: Context): string =>
  matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? 'none';
