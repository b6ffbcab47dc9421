import { parseJsonText } from '#core/json/json-text.ts';

/**
 * Distributions of durations and speeds. Each one counts values in buckets whose limits grow by 10 %, so that
 * distributions of many intervals can be added up, and a percentile is off by at most 5 %.
 */
export type Speeds = readonly [latency: Buckets, firstOutput: Buckets, tokensPerSecond: Buckets];

/** Number of values per bucket. */
type Buckets = Map<number, number>;

const GROWTH = Math.log(1.1);
/** Above a day in milliseconds, values are no longer distinguished. */
const MAX_BUCKET = 200;

export const noSpeeds = (): Speeds => [new Map(), new Map(), new Map()];

/** What is known about a response. */
export interface MeasuredAnswer {
  readonly status: string;
  readonly cache_hit: string | null;
  readonly latency_ms: number | null;
  readonly ttft_ms: number | null;
  readonly completion_tokens: number | null;
}

/** Adds a model's response. Failures and cached responses say nothing about its speed. */
export function addSpeeds([latencies, firsts, rates]: Speeds, answer: MeasuredAnswer): void {
  const { latency_ms: latency, ttft_ms: first, completion_tokens: output } = answer;
  if (answer.status !== 'success' || answer.cache_hit !== null || latency === null) return;
  add(latencies, bucketOf(latency), 1);
  if (first !== null) add(firsts, bucketOf(first), 1);
  // The time before the first output is spent on the prompt. Non-streamed responses do not reveal it.
  const generation = first !== null && first < latency ? latency - first : latency;
  if (output !== null && output > 1 && generation > 0) add(rates, bucketOf((output * 1000) / generation), 1);
}

export function mergeSpeeds(into: Speeds, other: Speeds): void {
  for (const [kind, buckets] of into.entries())
    for (const [bucket, count] of other[kind] ?? []) add(buckets, bucket, count);
}

/** As JSON: for each kind, a list of alternating bucket numbers and counts. */
export const speedsToText = (speeds: Speeds): string =>
  JSON.stringify(speeds.map((buckets) => [...buckets].flat()));

/** Adds the output of `speedsToText`. */
export function addSpeedsText(into: Speeds, text: string): void {
  const lists = parseJsonText(text) as readonly (readonly number[])[];
  for (const [kind, buckets] of into.entries()) {
    const list = lists[kind] ?? [];
    for (let at = 0; at < list.length; at += 2) add(buckets, list[at] ?? 0, list[at + 1] ?? 0);
  }
}

/** The value that this share of the values does not exceed; null without values. */
export function percentileOfBuckets(buckets: Buckets, share: number): number | null {
  const total = buckets.values().reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let left = Math.ceil(total * share);
  for (const bucket of [...buckets.keys()].toSorted((one, other) => one - other)) {
    left -= buckets.get(bucket) ?? 0;
    if (left <= 0) return valueOf(bucket);
  }
  return null;
}

const bucketOf = (value: number): number =>
  Math.min(MAX_BUCKET, Math.floor(Math.log(Math.max(value, 1)) / GROWTH));

/** A bucket's midpoint, with 3 significant digits. */
const valueOf = (bucket: number): number => Number(Math.exp((bucket + 0.5) * GROWTH).toPrecision(3));

function add(buckets: Buckets, bucket: number, count: number): void {
  buckets.set(bucket, (buckets.get(bucket) ?? 0) + count);
}
