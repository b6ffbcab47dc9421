import { AppError } from '../../../../contract/errors.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { AnswerSummary } from '../streams/stream.ts';
import type { AbandonedAnswer, AbandonedRead, FailedAnswer } from './provider.ts';
import { isFailed } from './failure.ts';
import type { Waiter } from './http/waiter.ts';

export interface AbandonedParts<Result extends object> {
  /** What is made of the answer once it is there. Never rejects. */
  readonly answer: Promise<Result | FailedAnswer>;
  readonly summaryOf: (result: Result) => AnswerSummary | Promise<AnswerSummary>;
  /** Whether the provider has begun an answer with a status of success. */
  readonly hasBegun: () => boolean;
  readonly waiter: Waiter;
  readonly clock: Clock;
  readonly drainMs: number;
  readonly signal: AbortSignal;
}

/** Reads on within the limit. */
export function readAbandoned<Result extends object>({
  answer,
  summaryOf,
  hasBegun,
  waiter,
  clock,
  drainMs,
  signal,
}: AbandonedParts<Result>): AbandonedAnswer {
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    waiter.leave();
  };
  const disarm = clock.after(drainMs, stop);
  // The gateway itself ends: there is no time left.
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
