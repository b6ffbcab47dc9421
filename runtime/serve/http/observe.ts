import type { Context, MiddlewareHandler } from 'hono';
import { matchedRoutes } from 'hono/route';
import { Histogram, type Registry } from 'prom-client';
import type { Kernel } from '../kernel.ts';
import type { ShellEnv } from './request-id.ts';

/** In seconds: from an answer out of memory to a large request that waited. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];
const DURATION = 'http_request_duration_seconds';

/** Logs and measures every request; those for `quietPaths`, which machines ask every few seconds, only at level debug. */
export function observeRequests(
  kernel: Kernel,
  quietPaths: ReadonlySet<string>,
): MiddlewareHandler<ShellEnv> {
  const durations = durationHistogram(kernel.metrics);
  return async (c, next) => {
    const start = performance.now();
    await next();
    const ms = performance.now() - start;
    const { method, path } = c.req;
    const { status } = c.res;
    durations.observe({ method, route: routePattern(c), status }, ms / 1000);
    const level = quietPaths.has(path) || path === '/metrics' ? 'debug' : 'info';
    const line = { requestId: c.get('requestId'), method, path, status, ms: Number(ms.toFixed(3)) };
    kernel.log[level](line, 'request');
  };
}

/** Several apps can share one registry, which holds each name once. */
function durationHistogram(registry: Registry): Histogram {
  const existing = registry.getSingleMetric(DURATION);
  if (existing instanceof Histogram) return existing;
  return new Histogram({
    name: DURATION,
    help: 'Time to answer an HTTP request, up to its first byte.',
    labelNames: ['method', 'route', 'status'],
    buckets: BUCKETS,
    registers: [registry],
  });
}

/** The pattern of the matched route: paths come from callers and have no end, patterns are few. */
const routePattern = (c: Context): string =>
  matchedRoutes(c).findLast(({ path }) => !path.endsWith('*'))?.path ?? 'none';
