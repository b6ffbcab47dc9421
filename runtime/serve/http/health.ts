import type { Context, Hono, MiddlewareHandler } from 'hono';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import type { Kernel } from '../kernel.ts';
import type { Operation } from './openapi/operation.ts';
import type { ShellEnv } from './request-state.ts';

export const HEALTH_PATHS = ['/healthz', '/readyz'];
export const METRICS_PATH = '/metrics';

/** Access to `/metrics`: every caller, only callers with a valid key if keys are configured, or no caller. */
export const METRICS_ACCESS = ['open', 'key', 'off'] as const;
export type MetricsAccess = (typeof METRICS_ACCESS)[number];

/** Returns the access that a flag names; the flag's choices have been checked. */
export const metricsAccess = (text: string | undefined): MetricsAccess =>
  METRICS_ACCESS.find((access) => access === text) ?? 'key';

export interface HealthOptions {
  /** Default: `key`. */
  readonly metrics?: MetricsAccess | undefined;
  /** Checks the key of a request for `/metrics`. Default: as for all other paths. */
  readonly metricsGuard?: MiddlewareHandler<ShellEnv> | undefined;
  /** Returns the part of the metrics that a request can read. Default: all metrics. */
  readonly visibleMetrics?: ((text: string, c: Context<ShellEnv>) => string) | undefined;
  /** Additional check for `/readyz`; throws an error with the reason. */
  readonly checkReady?: (() => Promise<void>) | undefined;
}

/** Adds `/healthz` (the process is alive), `/readyz` (it accepts requests) and `/metrics` (Prometheus metrics). */
export function addHealthRoutes(
  app: Hono<ShellEnv>,
  { lifecycle, metrics }: Kernel,
  { metrics: access = 'key', metricsGuard, visibleMetrics = (text) => text, checkReady }: HealthOptions = {},
): void {
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', async (c) => {
    const phase = lifecycle.phase();
    if (phase !== 'ready') throw new AppError('UnavailableError', phase);
    await checkReady?.();
    return c.text(phase);
  });
  if (access === 'off') return;
  if (access === 'key' && metricsGuard) app.use(METRICS_PATH, metricsGuard);
  app.get(METRICS_PATH, async (c) => {
    c.header('Content-Type', metrics.contentType);
    return c.body(visibleMetrics(await metrics.metrics(), c));
  });
}

const operation = (
  path: string,
  summary: string,
  example: string,
): Pick<Operation, 'method' | 'path' | 'id' | 'tag' | 'summary' | 'answer'> => ({
  method: 'get',
  path,
  id: path.slice(1),
  tag: 'Operations',
  summary,
  answer: {
    description: summary,
    mediaType: 'text/plain',
    schema: Type.String(),
    examples: { answer: example },
  },
});

export const healthOperations = (metrics: MetricsAccess): readonly Operation[] =>
  metrics === 'off' ? PROBES : [...PROBES, { ...METRICS, open: metrics === 'open' }];

const PROBES: readonly Operation[] = [
  { ...operation('/healthz', 'Liveness check.', 'ok'), errors: [], open: true },
  { ...operation('/readyz', 'Readiness check.', 'ready'), errors: [503], open: true },
];

const METRICS: Operation = {
  ...operation(METRICS_PATH, 'Metrics in the Prometheus format.', '# HELP …'),
  errors: [500],
};
