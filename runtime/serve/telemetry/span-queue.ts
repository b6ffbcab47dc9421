import type { Clock } from '../../platform/clock.ts';
import type { OtlpSpan } from './otlp.ts';
import type { SpanSender } from './span-sender.ts';

/** Spans of one request, which are created when they are sent, so that the answer does not wait for it. */
interface PendingSpans {
  readonly count: number;
  readonly create: () => readonly OtlpSpan[];
}

export interface SpanQueue {
  /** Adds spans. Drops them if the queue is full, because requests must not wait for the collector. */
  readonly add: (pending: PendingSpans) => void;
  /** Sends the remaining spans, for a few seconds at most. */
  readonly close: () => Promise<void>;
}

export interface SpanQueueOptions {
  readonly sender: SpanSender;
  readonly clock: Clock;
  readonly onSent: (spans: number) => void;
  /** Takes the number of spans that were dropped. */
  readonly onDropped: (spans: number) => void;
  readonly onError: (error: unknown) => void;
}

const MAX_WAITING = 4096;
const BATCH_SIZE = 256;
const SEND_INTERVAL_MS = 2000;
const CLOSE_TIMEOUT_MS = 5000;

export function createSpanQueue({ sender, clock, onSent, onDropped, onError }: SpanQueueOptions): SpanQueue {
  let waiting: PendingSpans[] = [];
  let spansWaiting = 0;
  let stopTimer: (() => void) | undefined;
  let sending: Promise<void> | undefined;
  /** Whether the last batch failed, so that an outage is logged once. */
  let isFailing = false;
  let isClosed = false;
  const giveUp = new AbortController();

  const takeBatch = (): OtlpSpan[] => {
    let [taken, spans] = [0, 0];
    // The first request is taken even if it alone exceeds the batch size.
    for (; taken < waiting.length && (taken === 0 || spans < BATCH_SIZE); taken += 1) {
      spans += waiting[taken]?.count ?? 0;
    }
    const batch = waiting.slice(0, taken);
    waiting = waiting.slice(taken);
    spansWaiting -= spans;
    return batch.flatMap(({ create }) => create());
  };
  const isDue = (): boolean => (isClosed ? waiting.length > 0 : spansWaiting >= BATCH_SIZE);
  const sendAll = async (): Promise<void> => {
    for (let isFirst = true; (isFirst || isDue()) && !giveUp.signal.aborted; isFirst = false) {
      const batch = takeBatch();
      const { accepted, problem } = await sender.send(batch, giveUp.signal);
      if (accepted > 0) onSent(accepted);
      if (accepted < batch.length) onDropped(batch.length - accepted);
      if (problem && !isFailing) onError(problem);
      isFailing = problem !== undefined;
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
        if (waiting.length > 0 && !isClosed) schedule();
      });
  };
  const schedule = (): void => {
    if (isDue()) send();
    else stopTimer ??= clock.after(SEND_INTERVAL_MS, send);
  };

  return {
    add(pending) {
      if (isClosed || spansWaiting + pending.count > MAX_WAITING) {
        onDropped(pending.count);
        return;
      }
      waiting.push(pending);
      spansWaiting += pending.count;
      if (!sending) schedule();
    },
    close: async () => {
      isClosed = true;
      const stopWaiting = clock.after(CLOSE_TIMEOUT_MS, () => giveUp.abort());
      send();
      await sending;
      stopWaiting();
      if (spansWaiting > 0) onDropped(spansWaiting);
      sender.close();
    },
  };
}
