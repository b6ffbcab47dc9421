import type { Metric, Registry } from 'prom-client';

/**
 * Upper limits of the buckets, in seconds. They cover everything from cached responses to large
 * requests that wait in a queue.
 */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

interface HistogramOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
}

/** The durations with the same label values. */
interface Series<Label extends string> {
  readonly labels: Readonly<Record<Label, string>>;
  /** Number of durations per bucket; the last bucket has no upper limit. */
  readonly counts: number[];
  count: number;
  sum: number;
}

/**
 * A histogram of durations. Unlike the histogram of prom-client, it does not copy, check and format
 * the labels for each value, but only when the metrics are read.
 */
export class DurationHistogram<Label extends string> {
  readonly name: string;
  readonly #options: HistogramOptions<Label>;
  readonly #series = new Map<string, Series<Label>>();

  constructor(registry: Registry, options: HistogramOptions<Label>) {
    this.name = options.name;
    this.#options = options;
    // The registry only uses the name and `get`.
    registry.registerMetric(this as unknown as Metric);
  }

  observe(labels: Readonly<Record<Label, string | number>>, seconds: number): void {
    const key = this.#keyOf(labels);
    let series = this.#series.get(key);
    if (!series) this.#series.set(key, (series = this.#newSeries(labels)));
    let bucket = 0;
    while (bucket < BUCKETS.length && seconds > (BUCKETS[bucket] ?? Infinity)) bucket += 1;
    series.counts[bucket] = (series.counts[bucket] ?? 0) + 1;
    series.count += 1;
    series.sum += seconds;
  }

  remove(labels: Readonly<Record<Label, string | number>>): void {
    this.#series.delete(this.#keyOf(labels));
  }

  /** Returns the values in the form that the registry reads. */
  get(): Promise<object> {
    const { name, help } = this.#options;
    const values = [...this.#series.values()].flatMap((series) => valuesOf(name, series));
    return Promise.resolve({ name, help, type: 'histogram', aggregator: 'sum', values });
  }

  #keyOf(labels: Readonly<Record<Label, string | number>>): string {
    let key = '';
    for (const name of this.#options.labelNames) {
      const value = String(labels[name]);
      // The length separates the values, which can contain any character.
      key += `${value.length}:${value}`;
    }
    return key;
  }

  #newSeries(labels: Readonly<Record<Label, string | number>>): Series<Label> {
    const entries = this.#options.labelNames.map((name) => [name, String(labels[name])]);
    return {
      labels: Object.fromEntries(entries) as Record<Label, string>,
      counts: Array.from({ length: BUCKETS.length + 1 }, () => 0),
      count: 0,
      sum: 0,
    };
  }
}

function valuesOf<Label extends string>(
  name: string,
  { labels, counts, count, sum }: Series<Label>,
): { readonly labels: object; readonly value: number; readonly metricName: string }[] {
  let below = 0;
  const buckets = BUCKETS.map((le, at) => {
    below += counts[at] ?? 0;
    return { labels: { le, ...labels }, value: below, metricName: `${name}_bucket` };
  });
  return [
    ...buckets,
    { labels: { le: '+Inf', ...labels }, value: count, metricName: `${name}_bucket` },
    { labels, value: sum, metricName: `${name}_sum` },
    { labels, value: count, metricName: `${name}_count` },
  ];
}

/**
 * Returns a histogram of response times. All transports use the same buckets, so that they can be
 * compared. If servers share a registry, they share the histogram, because a registry can contain
 * each name only once.
 */
export function durationHistogram<Label extends string>(
  registry: Registry,
  metric: HistogramOptions<Label>,
): DurationHistogram<Label> {
  const existing: unknown = registry.getSingleMetric(metric.name);
  return existing instanceof DurationHistogram ? existing : new DurationHistogram(registry, metric);
}
