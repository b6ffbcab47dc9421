import type { Registry } from 'prom-client';
import { LabeledHistogram } from './labeled-metrics.ts';

/**
 * Upper limits of the buckets, in seconds. They cover everything from cached responses to large
 * requests that wait in a queue.
 */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Returns a histogram of response times. All transports use the same buckets, so that they can be
 * compared. If servers share a registry, they share the histogram, because a registry can contain
 * each name only once.
 */
export function durationHistogram<Label extends string>(
  registry: Registry,
  metric: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
): LabeledHistogram<Label> {
  const existing: unknown = registry.getSingleMetric(metric.name);
  return existing instanceof LabeledHistogram
    ? existing
    : new LabeledHistogram(registry, { ...metric, buckets: BUCKETS });
}
