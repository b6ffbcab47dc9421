import type { Registry } from 'prom-client';
import type { Clock } from '../../../platform/clock.ts';
import { traceOf } from '../../../serve/telemetry/request-trace.ts';
import { createSpanQueue, type SpanQueue } from '../../../serve/telemetry/span-queue.ts';
import { createSpanSender } from '../../../serve/telemetry/span-sender.ts';
import type { TracingSettings } from '../../../serve/telemetry/tracing-settings.ts';
import type { Telemetry } from '../ask/completions/telemetry.ts';
import { completionSpans } from './completion-spans.ts';
import { createGatewayMetrics, type GatewayMetrics } from './metrics.ts';

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
  const queue = tracing && openQueue(tracing, metrics, options);
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
    close: async (limitMs) => await queue?.close(limitMs).catch(onError),
  };
}

function openQueue(
  tracing: TracingSettings,
  metrics: GatewayMetrics,
  { clock, version, onError }: TelemetryOptions,
): SpanQueue {
  return createSpanQueue({
    sender: createSpanSender(tracing, { serviceName: tracing.serviceName, scope: 'gateway', version }, clock),
    clock,
    onSent: (count) => metrics.spans('sent', count),
    onDropped: (count) => metrics.spans('dropped', count),
    onError,
  });
}
