import { Histogram, type Registry } from 'prom-client';

/** Bucket limits in seconds, from cached responses to large requests that were queued. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Response times, with the same buckets on every transport so that they can be compared. Servers
 * can share a registry, which contains each name once.
 */
export function durationHistogram<Label extends string>(
  registry: Registry,
  metric: { readonly name: string; readonly help: string; readonly labelNames: readonly Label[] },
): Histogram<Label> {
  const existing = registry.getSingleMetric(metric.name);
  if (existing instanceof Histogram) return existing;
  return new Histogram({
    ...metric,
    labelNames: [...metric.labelNames],
    buckets: BUCKETS,
    registers: [registry],
  });
}
