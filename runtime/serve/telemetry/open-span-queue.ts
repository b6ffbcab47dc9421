import type { Clock } from '#platform/clock.ts';
import type { OtlpSource } from './otlp.ts';
import { createSpanQueue, type SpanQueue } from './span-queue.ts';
import { createSpanSender } from './span-sender.ts';
import type { TracingSettings } from './tracing-settings.ts';

export interface SpanQueueSource extends Omit<OtlpSource, 'serviceName'> {
  readonly clock: Clock;
  /** Counts spans for a metric. */
  readonly count: (outcome: 'sent' | 'dropped', spans: number) => void;
  readonly onError: (error: unknown) => void;
}

/** Opens the queue of spans for the collector in the settings. */
export function openSpanQueue(settings: TracingSettings, source: SpanQueueSource): SpanQueue {
  const { scope, version, clock, count, onError } = source;
  const { serviceName } = settings;
  return createSpanQueue({
    sender: createSpanSender(settings, { serviceName, scope, version }, clock),
    clock,
    onSent: (spans) => count('sent', spans),
    onDropped: (spans) => count('dropped', spans),
    onError,
  });
}
