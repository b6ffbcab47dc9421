import { AppError, messageOf } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import { pause, waitFor } from '#platform/wait-for.ts';
import type { Cancellation } from '#core/limits/cancellation.ts';
import type { Logger } from '#serve/log.ts';
import { KnownVectors } from './known-vectors.ts';
import type { MeaningMetrics } from './metrics.ts';
import type { SearchEncoder } from './search-encoder.ts';
import type { VectorFile } from './vector-file.ts';

/** An item that is found by the meaning of its text. */
export interface MeaningItem {
  readonly text: string;
  /** Hash of the text. */
  readonly hash: string;
  /** Whether the vector can be written to a file. Texts that belong to one user are only kept in memory. */
  readonly isShared: boolean;
}

/** Compares queries with items by the vectors of an encoder. */
export interface Meanings {
  /**
   * Returns how similar each item is to a query, from -1 to 1; undefined for items whose vectors are not
   * computed yet. Returns undefined if the encoder does not respond in time.
   */
  similarities(
    query: string,
    items: readonly MeaningItem[],
    signal?: Cancellation,
  ): Promise<readonly (number | undefined)[] | undefined>;
  /** Computes the vectors of new items in the background. */
  learn(items: readonly MeaningItem[]): void;
  /** Resolves when all vectors are computed and saved, or the encoder has failed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

interface MeaningsParts {
  readonly encoder: SearchEncoder;
  readonly file: VectorFile;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: MeaningMetrics;
  /** Maximum time that a search waits for the vector of its query. */
  readonly deadlineMs?: number | undefined;
  /** Delay before the encoder is used for the first time. */
  readonly startDelayMs?: number | undefined;
}

/** A search by words takes a few milliseconds, so that users notice a longer wait. */
const DEADLINE_MS = 200;
/** When a manager starts, its servers need the processors first. */
export const START_DELAY_MS = 2000;
const BATCH_SIZE = 16;
const MAX_WAITING = 20_000;
const MAX_REJECTED = 20_000;
const MAX_QUERIES = 256;
/** Longer queries are cut. The maximum of most encoders is a few hundred tokens. */
const MAX_QUERY_LENGTH = 1000;
/** After this many queries in a row without a vector in time, searches do not wait for a while. */
const MAX_LATE = 5;
const LATE_PAUSE_MS = 30_000;
const RETRY_MS = { min: 500, max: 60_000 };
/** How often a text is encoded again, to notice that a running encoder now has another model. */
const PROBE_INTERVAL_MS = 300_000;
const PROBE = 'Search the calendar for free time next week, and send a message to all participants.';
/** Minimum similarity of the probe's vectors. Batches and processors only change the last digits. */
const SAME_MODEL = 0.9999;
const LOG_INTERVAL_MS = 60_000;

export function createMeanings({
  encoder,
  file,
  clock,
  log,
  metrics,
  deadlineMs = DEADLINE_MS,
  startDelayMs = START_DELAY_MS,
}: MeaningsParts): Meanings {
  const closing = new AbortController();
  const waiting = new Map<string, MeaningItem>();
  /** Hashes of texts that the encoder does not accept, for example because they are too long. */
  const rejected = new Set<string>();
  const queries = new Map<string, Float32Array>();
  let probe: Float32Array | undefined;
  let probedAt = -Infinity;
  let known: KnownVectors | undefined;
  let isReady = false;
  let isChanged = false;
  let late = 0;
  let pausedUntil = -Infinity;
  let working: Promise<void> | undefined;
  let loggedAt = -Infinity;

  /** Logs failures once in a while, because every search could have one. */
  function failed(reason: 'late' | 'error', why: string): void {
    metrics.onFailure(reason);
    if (clock.now() - loggedAt < LOG_INTERVAL_MS) return;
    loggedAt = clock.now();
    log.warn(`the search encoder failed, so searches only use words: ${why}`);
  }

  /** Encodes the probe. If the encoder has another model than before, its vectors are dropped. */
  async function checkModel(): Promise<void> {
    const [latest] = await encoder.embed([PROBE], closing.signal);
    if (!latest) throw new AppError('UpstreamError', 'the response contains no vector');
    probedAt = clock.now();
    if (!known || !probe || !isSameModel(probe, latest)) {
      const saved = probe ? undefined : await file.load();
      known = new KnownVectors(latest.length);
      queries.clear();
      rejected.clear();
      if (saved && isSameModel(saved.probe, latest)) {
        for (const [hash, vector] of saved.vectors) known.add(hash, vector, true, -Infinity);
        for (const { hash, isShared } of waiting.values()) {
          if (known.use(hash, isShared, clock.now())) waiting.delete(hash);
        }
      }
      probe = latest;
      metrics.onVectors(known.size);
    }
    isReady = true;
  }

  async function embed(batch: readonly MeaningItem[]): Promise<void> {
    try {
      const vectors = await encoder.embed(
        batch.map(({ text }) => text),
        closing.signal,
      );
      for (const [at, { hash, isShared }] of batch.entries()) {
        const vector = vectors[at];
        if (!vector || vector.length !== known?.dimension) throw otherModel();
        if (known.hasRoom(clock.now())) known.add(hash, vector, isShared, clock.now());
        waiting.delete(hash);
        isChanged ||= isShared;
      }
      metrics.onVectors(known?.size ?? 0);
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'InputError')) throw error;
      // One text can make the encoder reject all of them.
      if (batch.length > 1) {
        for (const item of batch) await embed([item]);
        return;
      }
      for (const { hash } of batch) {
        waiting.delete(hash);
        if (rejected.size < MAX_REJECTED) rejected.add(hash);
      }
    }
  }

  async function save(): Promise<void> {
    if (!isChanged || !known || !probe) return;
    isChanged = false;
    await file.save({ probe, vectors: known.shared() });
  }

  async function work(): Promise<void> {
    let delay = RETRY_MS.min;
    if (!known) await pause(startDelayMs, clock, closing.signal);
    const isDue = (): boolean => !isReady || clock.now() - probedAt > PROBE_INTERVAL_MS;
    while (!closing.signal.aborted && (isDue() || waiting.size > 0)) {
      try {
        await (isDue() ? checkModel() : embed(waiting.values().take(BATCH_SIZE).toArray()));
        delay = RETRY_MS.min;
      } catch (error) {
        if (closing.signal.aborted) break;
        isReady = false;
        failed('error', messageOf(error));
        await pause(delay, clock, closing.signal);
        delay = Math.min(2 * delay, RETRY_MS.max);
      }
    }
    await save();
  }

  function wake(): void {
    working ??= work().finally(() => {
      working = undefined;
      // Items can have been added while the vectors were saved.
      if (waiting.size > 0 && !closing.signal.aborted) wake();
    });
  }

  const learn: Meanings['learn'] = (items) => {
    const now = clock.now();
    for (const item of items) {
      const { hash, isShared } = item;
      if (known?.use(hash, isShared, now) || waiting.has(hash) || rejected.has(hash)) continue;
      if (waiting.size < MAX_WAITING && (known?.hasRoom(now) ?? true)) waiting.set(hash, item);
    }
    if (waiting.size > 0 || now - probedAt > PROBE_INTERVAL_MS) wake();
  };

  async function vectorOf(
    query: string,
    signal: Cancellation | undefined,
  ): Promise<Float32Array | undefined> {
    const text = query.slice(0, MAX_QUERY_LENGTH);
    const before = queries.get(text);
    if (before) return before;
    if (!isReady || clock.now() < pausedUntil) return undefined;
    const abandoned = new AbortController();
    try {
      const [vector] = await waitFor(encoder.embed([text], abandoned.signal), {
        clock,
        timeoutMs: deadlineMs,
        signal,
        late: () => new AppError('TimeoutError', `no vector for a query within ${deadlineMs} ms`),
      });
      if (!vector || vector.length !== known?.dimension) throw otherModel();
      late = 0;
      queries.set(text, vector);
      for (const oldest of queries.keys()) {
        if (queries.size <= MAX_QUERIES) break;
        queries.delete(oldest);
      }
      return vector;
    } catch (error) {
      abandoned.abort();
      const code = AppError.from(error).code;
      if (code === 'CancelledError') throw error;
      if (code === 'TimeoutError') {
        late += 1;
        if (late % MAX_LATE === 0) pausedUntil = clock.now() + LATE_PAUSE_MS;
        failed('late', messageOf(error));
      } else {
        // The encoder can accept other queries although it rejects this one.
        isReady = code === 'InputError';
        failed('error', messageOf(error));
        wake();
      }
      return undefined;
    }
  }

  wake();
  return {
    learn,
    async similarities(query, items, signal) {
      learn(items);
      const vector = await vectorOf(query, signal);
      if (!vector || known?.dimension !== vector.length) return undefined;
      const now = clock.now();
      return items.map(({ hash, isShared }) => {
        const other = known?.use(hash, isShared, now);
        return other && dot(vector, other);
      });
    },
    settled: async () => await working,
    async close() {
      closing.abort();
      // Concurrently: the work can be waiting for an executable to start, and closing the encoder ends that wait.
      await Promise.all([working, encoder.close()]);
    },
  };
}

const otherModel = (): AppError => new AppError('UpstreamError', 'the dimension of its vectors has changed');

const isSameModel = (one: Float32Array, other: Float32Array): boolean =>
  one.length === other.length && dot(one, other) >= SAME_MODEL;

function dot(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at += 1) sum += (one[at] ?? 0) * (other[at] ?? 0);
  return sum;
}
