import type { Metric, Registry } from 'prom-client';
import { keysOf } from '#core/values/keys.ts';

/** The values of a metric's labels. */
export type Labels<Label extends string> = Readonly<Record<Label, string | number>>;

interface MetricOptions<Label extends string> {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly Label[];
}

interface HistogramOptions<Label extends string> extends MetricOptions<Label> {
  /** Upper limits of the buckets, in ascending order. */
  readonly buckets: readonly number[];
}

/** A value in the form that the registry reads. */
interface ReadValue {
  readonly labels: object;
  readonly value: number;
  readonly metricName?: string;
}

/**
 * A metric that is updated by every request. Unlike the metrics of prom-client, it does not copy, check and
 * format the labels for each update, but only when the metrics are read.
 */
abstract class LabeledMetric<Label extends string, Value> {
  readonly name: string;
  readonly #options: MetricOptions<Label>;
  readonly #type: 'counter' | 'histogram';
  readonly #series = new Map<string, { readonly labels: Labels<Label>; readonly value: Value }>();

  constructor(registry: Registry, type: 'counter' | 'histogram', options: MetricOptions<Label>) {
    this.name = options.name;
    this.#type = type;
    this.#options = options;
    // The registry only uses the name and `get`.
    registry.registerMetric(this as unknown as Metric);
  }

  protected abstract newValue(): Value;
  protected abstract read(value: Value, labels: Labels<Label>): readonly ReadValue[];

  protected valueOf(labels: Labels<Label>): Value {
    const key = this.#keyOf(labels);
    let series = this.#series.get(key);
    if (!series) this.#series.set(key, (series = { labels: this.#only(labels), value: this.newValue() }));
    return series.value;
  }

  /** Deletes all values with these labels, whatever their other labels are. */
  remove(labels: Partial<Labels<Label>>): void {
    const given = keysOf(labels);
    for (const [key, series] of this.#series) {
      if (given.every((name) => series.labels[name] === labels[name])) this.#series.delete(key);
    }
  }

  /** Returns the values in the form that the registry reads. */
  get(): Promise<object> {
    const { name, help } = this.#options;
    const values = this.series().flatMap(({ labels, value }) => this.read(value, labels));
    return Promise.resolve({ name, help, type: this.#type, aggregator: 'sum', values });
  }

  protected series(): { readonly labels: Labels<Label>; readonly value: Value }[] {
    return [...this.#series.values()];
  }

  /** The labels without other members of the object. */
  #only(labels: Labels<Label>): Labels<Label> {
    const entries = this.#options.labelNames.map((name) => [name, labels[name]]);
    return Object.fromEntries(entries) as Labels<Label>;
  }

  #keyOf(labels: Labels<Label>): string {
    let key = '';
    for (const name of this.#options.labelNames) {
      const value = String(labels[name]);
      // The length separates the values, which can contain any character.
      key += `${value.length}:${value}`;
    }
    return key;
  }
}

const NO_LABELS = {};

export class LabeledCounter<Label extends string = never> extends LabeledMetric<Label, { count: number }> {
  constructor(registry: Registry, options: MetricOptions<Label>) {
    super(registry, 'counter', options);
    // Without labels, there is a single value, which is 0 at first.
    if (options.labelNames.length === 0) this.valueOf(NO_LABELS as Labels<Label>);
  }

  inc(labels: Labels<Label> = NO_LABELS as Labels<Label>, by = 1): void {
    this.valueOf(labels).count += by;
  }

  protected newValue(): { count: number } {
    return { count: 0 };
  }

  protected read({ count }: { readonly count: number }, labels: Labels<Label>): readonly ReadValue[] {
    return [{ labels, value: count }];
  }
}

interface Distribution {
  /** Number of values per bucket; the last bucket has no upper limit. */
  readonly counts: number[];
  count: number;
  sum: number;
}

export class LabeledHistogram<Label extends string = never> extends LabeledMetric<Label, Distribution> {
  readonly #buckets: readonly number[];

  constructor(registry: Registry, options: HistogramOptions<Label>) {
    super(registry, 'histogram', options);
    this.#buckets = options.buckets;
  }

  /** Throws a TypeError for NaN and infinity, after which the sum would be wrong forever. */
  observe(labels: Labels<Label>, value: number): void {
    if (!Number.isFinite(value)) throw new TypeError(`${this.name} cannot observe ${value}.`);
    const distribution = this.valueOf(labels);
    const buckets = this.#buckets;
    let bucket = 0;
    while (bucket < buckets.length && value > (buckets[bucket] ?? Infinity)) bucket += 1;
    distribution.counts[bucket] = (distribution.counts[bucket] ?? 0) + 1;
    distribution.count += 1;
    distribution.sum += value;
  }

  /** The number of values for each combination of labels. */
  counts(): { readonly labels: Labels<Label>; readonly count: number }[] {
    return this.series().map(({ labels, value: { count } }) => ({ labels, count }));
  }

  protected newValue(): Distribution {
    return { counts: Array.from({ length: this.#buckets.length + 1 }, () => 0), count: 0, sum: 0 };
  }

  protected read({ counts, count, sum }: Distribution, labels: Labels<Label>): readonly ReadValue[] {
    const { name } = this;
    let below = 0;
    const buckets = this.#buckets.map((le, at) => {
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
}
