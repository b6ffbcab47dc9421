import type { Registry } from 'prom-client';
import type { Clock } from '#platform/clock.ts';
import { traceOf } from '#serve/telemetry/request-trace.ts';
import { openSpanQueue } from '#serve/telemetry/open-span-queue.ts';
import type { TracingSettings } from '#serve/telemetry/tracing-settings.ts';
import type { Telemetry } from '../requests/completions/telemetry.ts';
import { completionSpans } from './completion-spans.ts';
import { createGatewayMetrics } from './metrics.ts';

export interface TelemetryOptions {
  readonly metrics: Registry;
  /** Where spans are sent; undefined if tracing is disabled. */
  readonly tracing: TracingSettings | undefined;
  readonly clock: Clock;
  readonly version: string;
  /** Returns the number of requests in flight. */
  readonly activeRequests: () => number;
  /** Takes errors of telemetry, which never fail a request. */
  readonly onError: (error: unknown) => void;
}

export function createTelemetry(options: TelemetryOptions): Telemetry {
  const { tracing, onError } = options;
  const metrics = createGatewayMetrics(options.metrics, options.activeRequests);
  const { clock, version } = options;
  const source = { scope: 'gateway', version, clock, count: metrics.spans, onError };
  const queue = tracing && openSpanQueue(tracing, source);
  const quietly = (work: () => void): void => {
    try {
      work();
    } catch (error) {
      onError(error);
    }
  };
  return {
    trace: (headers) => tracing && traceOf(headers, tracing.sampled, Math.random),
    completed: (event) =>
      quietly(() => {
        metrics.completed(event);
        const { trace } = event;
        if (!trace?.sampled) return;
        queue?.add({ count: 1 + event.attempts.length, create: () => completionSpans(event, trace) });
      }),
    abandoned: (event) => quietly(() => metrics.abandoned(event)),
    authFailed: (reason) => quietly(() => metrics.authFailed(reason)),
    alerted: (outcome) => quietly(() => metrics.alerted(outcome)),
    close: async (limitMs) => await queue?.close(limitMs).catch(onError),
  };
}
