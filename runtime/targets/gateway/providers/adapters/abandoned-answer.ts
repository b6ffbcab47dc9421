import { AppError } from '#contract/errors.ts';
import type { Clock } from '#platform/clock.ts';
import type { AnswerSummary } from '../streams/stream.ts';
import type { AbandonedAnswer, AbandonedRead, FailedAnswer } from './provider.ts';
import { isFailed } from './failure.ts';
import type { Waiter } from './http/waiter.ts';

export interface AbandonedAnswerParts<Result extends object> {
  /** The parsed answer, or its failure. Never rejects. */
  readonly answer: Promise<Result | FailedAnswer>;
  readonly summaryOf: (result: Result) => AnswerSummary | Promise<AnswerSummary>;
  /** Whether the provider has started an answer with a successful status. */
  readonly hasBegun: () => boolean;
  readonly waiter: Waiter;
  readonly clock: Clock;
  readonly drainMs: number;
  readonly signal: AbortSignal;
}

/** Reads an answer without a client to its end, for at most `drainMs`, because the provider bills it anyway. */
export function readAbandoned<Result extends object>({
  answer,
  summaryOf,
  hasBegun,
  waiter,
  clock,
  drainMs,
  signal,
}: AbandonedAnswerParts<Result>): AbandonedAnswer {
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    waiter.cancel();
  };
  const disarm = clock.after(drainMs, stop);
  // An AppError as the reason means that the gateway is stopping: there is no time left.
  if (signal.reason instanceof AppError) stop();

  const read = async (): Promise<AbandonedRead> => {
    try {
      const result = await answer;
      if (!isFailed(result)) return { kind: 'answered', summary: await summaryOf(result) };
      const isRefused = result.failure.upstreamStatus !== undefined;
      const isUnanswered = !hasBegun() && !isStopped;
      return isRefused || isUnanswered ? { kind: 'failed' } : { kind: 'answered', summary: undefined };
    } finally {
      disarm();
    }
  };
  return { read: read(), stop };
}
