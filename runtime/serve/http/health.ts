import type { Context, MiddlewareHandler } from 'hono';
import { Type } from 'typebox';
import { AppError } from '#contract/errors.ts';
import type { MetricsAccess } from '#core/cli/common-flags.ts';
import type { Kernel } from '../kernel.ts';
import type { ShellEnv } from './request-state.ts';
import { bodilessRoute, type Guard, OPEN, type Route } from './route.ts';

export const HEALTH_PATHS = ['/healthz', '/readyz', '/metrics'] as const;
const [HEALTHZ, READYZ, METRICS] = HEALTH_PATHS;

export interface HealthOptions {
  /** Who can read `/metrics`. Default: `key`. */
  readonly metrics?: MetricsAccess | undefined;
  /** Checks the key in a request for `/metrics`. Default: the check that applies to all other paths. */
  readonly metricsGuard?: MiddlewareHandler<ShellEnv> | undefined;
  /** Reads the metrics in the Prometheus format. Default: those of this thread. */
  readonly readMetrics?: (() => Promise<string>) | undefined;
  /** Returns the metrics that the client is allowed to read. Default: all metrics. */
  readonly visibleMetrics?: ((text: string, c: Context<ShellEnv>) => string) | undefined;
  /** Additional check for `/readyz`. If the server is not ready, it throws an error with the reason. */
  readonly checkReady?: (() => Promise<void>) | undefined;
}

/** `/healthz` (the process is alive), `/readyz` (it accepts requests) and `/metrics` (Prometheus metrics). */
export function monitoringRoutes(
  { lifecycle, metrics }: Pick<Kernel, 'lifecycle' | 'metrics'>,
  {
    metrics: access = 'key',
    metricsGuard,
    readMetrics = () => metrics.metrics(),
    visibleMetrics = (text) => text,
    checkReady,
  }: HealthOptions = {},
): readonly Route[] {
  const probes = [
    bodilessRoute({ ...described(HEALTHZ, 'Liveness check.', 'ok', OPEN), run: (c) => c.text('ok') }),
    bodilessRoute({
      ...described(READYZ, 'Readiness check.', 'ready', OPEN),
      errors: [503],
      async run(c) {
        const phase = lifecycle.phase();
        if (phase !== 'ready') throw new AppError('UnavailableError', phase);
        await checkReady?.();
        return c.text(phase);
      },
    }),
  ];
  if (access === 'off') return probes;
  const guard: Guard = access === 'open' ? OPEN : { enter: metricsGuard, errors: [] };
  return [
    ...probes,
    bodilessRoute({
      ...described(METRICS, 'Metrics in the Prometheus format.', '# HELP …', guard),
      errors: [500],
      async run(c) {
        c.header('Content-Type', metrics.contentType);
        return c.body(visibleMetrics(await readMetrics(), c));
      },
    }),
  ];
}

const described = <Path extends string>(path: Path, summary: string, example: string, guard: Guard) =>
  ({
    method: 'get',
    path,
    guard,
    id: path.slice(1),
    tag: 'Operations',
    summary,
    answer: {
      description: summary,
      mediaType: 'text/plain',
      schema: Type.String(),
      examples: { answer: example },
    },
  }) as const;
