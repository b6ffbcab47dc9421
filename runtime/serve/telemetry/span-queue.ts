import type { Clock } from '#platform/clock.ts';
import type { OtlpSpan, OtlpSource } from './otlp.ts';
import { type SpanSender, createSpanSender } from './span-sender.ts';
import type { TracingSettings } from './tracing-settings.ts';

/**
 * The spans of one request. They are only created when they are sent, so that the response is not
 * delayed.
 */
interface PendingSpans {
  readonly count: number;
  readonly create: () => readonly OtlpSpan[];
}

export interface SpanQueue {
  /** Adds spans. Drops them if the queue is full, because requests must not wait for the collector. */
  readonly add: (pending: PendingSpans) => void;
  /** Sends the remaining spans, without retries, for `limitMs` at most. The default and the maximum are a few seconds. */
  readonly close: (limitMs?: number) => Promise<void>;
}

/** @internal Exported for tests only. */
export interface SpanQueueOptions {
  readonly sender: SpanSender;
  readonly clock: Clock;
  readonly onSent: (spans: number) => void;
  /** Returns and resets the number of dropped spans. */
  readonly onDropped: (spans: number) => void;
  readonly onError: (error: unknown) => void;
}

const MAX_WAITING = 4096;
const BATCH_SIZE = 256;
const SEND_INTERVAL_MS = 2000;
const MAX_CLOSE_MS = 5000;

/** @internal Exported for tests only. */
export function createSpanQueue({ sender, clock, onSent, onDropped, onError }: SpanQueueOptions): SpanQueue {
  let waiting: PendingSpans[] = [];
  let spansWaiting = 0;
  let stopTimer: (() => void) | undefined;
  let sending: Promise<void> | undefined;
  /** Whether the last batch failed, so that an outage is logged once. */
  let isFailing = false;
  const closing = new AbortController();
  const giveUp = new AbortController();
  const limits = { closing: closing.signal, giveUp: giveUp.signal };
  const isClosed = (): boolean => closing.signal.aborted;

  const takeBatch = (): PendingSpans[] => {
    let [taken, spans] = [0, 0];
    // The first request is included even if it alone exceeds the batch size.
    for (; taken < waiting.length && (taken === 0 || spans < BATCH_SIZE); taken += 1) {
      spans += waiting[taken]?.count ?? 0;
    }
    const batch = waiting.slice(0, taken);
    waiting = waiting.slice(taken);
    spansWaiting -= spans;
    return batch;
  };
  const sendBatch = async (batch: readonly PendingSpans[]): Promise<void> => {
    const count = batch.reduce((sum, pending) => sum + pending.count, 0);
    let [accepted, problem]: [number, unknown] = [0, undefined];
    try {
      const spans = batch.flatMap(({ create }) => create());
      ({ accepted, problem } = await sender.send(spans, limits));
    } catch (error) {
      problem = error;
    }
    if (accepted > 0) onSent(accepted);
    if (accepted < count) onDropped(count - accepted);
    if (problem !== undefined && !isFailing) onError(problem);
    isFailing = problem !== undefined;
  };
  const isDue = (): boolean => (isClosed() ? waiting.length > 0 : spansWaiting >= BATCH_SIZE);
  const sendAll = async (): Promise<void> => {
    for (let isFirst = true; (isFirst || isDue()) && !giveUp.signal.aborted; isFirst = false) {
      const isLastTry = isClosed();
      await sendBatch(takeBatch());
      // The remaining batches would fail in the same way.
      if (isLastTry && isFailing) return;
    }
  };
  const send = (): void => {
    stopTimer?.();
    stopTimer = undefined;
    if (waiting.length === 0) return;
    sending ??= sendAll()
      .catch(onError)
      .finally(() => {
        sending = undefined;
        if (waiting.length > 0 && !isClosed()) schedule();
      });
  };
  const schedule = (): void => {
    if (isDue()) send();
    else stopTimer ??= clock.after(SEND_INTERVAL_MS, send);
  };

  return {
    add(pending) {
      if (isClosed() || spansWaiting + pending.count > MAX_WAITING) {
        onDropped(pending.count);
        return;
      }
      waiting.push(pending);
      spansWaiting += pending.count;
      if (!sending) schedule();
    },
    close: async (limitMs = MAX_CLOSE_MS) => {
      closing.abort();
      const stopWaiting = clock.after(Math.min(limitMs, MAX_CLOSE_MS), () => giveUp.abort());
      send();
      await sending;
      stopWaiting();
      if (spansWaiting > 0) onDropped(spansWaiting);
      sender.close();
    },
  };
}

export interface SpanQueueSource extends Omit<OtlpSource, 'serviceName'> {
  readonly clock: Clock;
  /** The metric that counts spans. */
  readonly count: (outcome: 'sent' | 'dropped', spans: number) => void;
  readonly onError: (error: unknown) => void;
}

/** Opens the span queue for the configured collector. */
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
