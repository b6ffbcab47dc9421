import { Counter } from 'prom-client';
import { systemClock } from '#platform/clock.ts';
import type { Kernel } from '../kernel.ts';
import type { Tracer } from './tracer.ts';
import type { TracingSettings } from './tracing-settings.ts';

interface TracerSource {
  /** Name of the program in spans. */
  readonly scope: string;
  readonly version: string;
  /** Name of the metric that counts spans. */
  readonly metric: string;
}

/** Opens a program's tracer; undefined, without loading its code, if traces are disabled. */
export async function openTracer(
  settings: TracingSettings | undefined,
  { scope, version, metric }: TracerSource,
  { log, metrics }: Pick<Kernel, 'log' | 'metrics'>,
): Promise<Tracer | undefined> {
  if (!settings) return undefined;
  const { createTracer } = await import('./create-tracer.ts');
  const { openSpanQueue } = await import('./span-queue.ts');
  const spans = new Counter({
    name: metric,
    help: 'Spans sent to the collector, or dropped.',
    labelNames: ['outcome'],
    registers: [metrics],
  });
  const clock = systemClock;
  const queue = openSpanQueue(settings, {
    scope,
    version,
    clock,
    count: (outcome, count) => spans.inc({ outcome }, count),
    onError: (error) => log.warn({ err: error }, 'Spans were dropped.'),
  });
  return createTracer({ queue, clock, sampled: settings.sampled });
}
