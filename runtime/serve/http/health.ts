import type { Hono } from 'hono';
import { Type } from 'typebox';
import { AppError } from '../../contract/errors.ts';
import type { Kernel } from '../kernel.ts';
import type { Operation } from './openapi/operation.ts';
import type { ShellEnv } from './request-id.ts';

export const HEALTH_PATHS = ['/healthz', '/readyz'];

export interface HealthOptions {
  /** Whether to serve `/metrics`. Default: true. */
  readonly metrics?: boolean;
  /** Additional check for `/readyz`; throws what is wrong. */
  readonly checkReady?: (() => Promise<void>) | undefined;
}

/** Adds `/healthz` (the process is alive), `/readyz` (it accepts requests) and `/metrics` (Prometheus metrics). */
export function addHealthRoutes(
  app: Hono<ShellEnv>,
  { lifecycle, metrics }: Kernel,
  { metrics: hasMetrics = true, checkReady }: HealthOptions = {},
): void {
  app.get('/healthz', (c) => c.text('ok'));
  app.get('/readyz', async (c) => {
    const phase = lifecycle.phase();
    if (phase !== 'ready') throw new AppError('UnavailableError', phase);
    await checkReady?.();
    return c.text(phase);
  });
  if (!hasMetrics) return;
  app.get('/metrics', async (c) => {
    c.header('Content-Type', metrics.contentType);
    return c.body(await metrics.metrics());
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

export const HEALTH_OPERATIONS: readonly Operation[] = [
  { ...operation('/healthz', 'Liveness check.', 'ok'), errors: [], open: true },
  { ...operation('/readyz', 'Readiness check.', 'ready'), errors: [503], open: true },
  { ...operation('/metrics', 'Metrics in the Prometheus format.', '# HELP …'), errors: [500] },
];
