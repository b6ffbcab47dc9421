import type { Clock } from '../../../platform/clock.ts';
import type { OtlpSpan } from './otlp.ts';
import type { SpanSender } from './span-sender.ts';

/** The spans of one request, made when they are sent rather than while it is answered. */
interface PendingSpans {
  readonly count: number;
  readonly make: () => readonly OtlpSpan[];
}

export interface SpanQueue {
  /** What does not fit any more is dropped, as nobody waits. */
  readonly add: (pending: PendingSpans) => void;
  /** Sends what is left, for some seconds at most. */
  readonly close: () => Promise<void>;
}

export interface SpanQueueOptions {
  readonly sender: SpanSender;
  readonly clock: Clock;
  readonly onSent: (spans: number) => void;
  /** Of spans that were given up, or not even taken. */
  readonly onDropped: (spans: number) => void;
  readonly onError: (error: unknown) => void;
}

const MOST_WAITING = 4096;
const MOST_AT_ONCE = 256;
const SEND_EVERY_MS = 2000;
const CLOSE_WITHIN_MS = 5000;

export function createSpanQueue({ sender, clock, onSent, onDropped, onError }: SpanQueueOptions): SpanQueue {
  let waiting: PendingSpans[] = [];
  let spansWaiting = 0;
  let stopTimer: (() => void) | undefined;
  let sending: Promise<void> | undefined;
  /** So that a collector that is away for hours is told of once. */
  let isFailing = false;
  let isClosed = false;
  const giveUp = new AbortController();

  const takeBatch = (): OtlpSpan[] => {
    let [taken, spans] = [0, 0];
    // At least one request's, however many it has.
    for (; taken < waiting.length && (taken === 0 || spans < MOST_AT_ONCE); taken += 1) {
      spans += waiting[taken]?.count ?? 0;
    }
    const batch = waiting.slice(0, taken);
    waiting = waiting.slice(taken);
    spansWaiting -= spans;
    return batch.flatMap(({ make }) => make());
  };
  const isDue = (): boolean => (isClosed ? waiting.length > 0 : spansWaiting >= MOST_AT_ONCE);
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
    else stopTimer ??= clock.after(SEND_EVERY_MS, send);
  };

  return {
    add(pending) {
      if (isClosed || spansWaiting + pending.count > MOST_WAITING) {
        onDropped(pending.count);
        return;
      }
      waiting.push(pending);
      spansWaiting += pending.count;
      if (!sending) schedule();
    },
    close: async () => {
      isClosed = true;
      const stopWaiting = clock.after(CLOSE_WITHIN_MS, () => giveUp.abort());
      send();
      await sending;
      stopWaiting();
      if (spansWaiting > 0) onDropped(spansWaiting);
      await sender.close();
    },
  };
}
