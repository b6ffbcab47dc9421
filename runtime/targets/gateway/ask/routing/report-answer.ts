import type { GivenAnswer } from '../providers/provider.ts';

/** Tells a target's breaker how a request ended. */
export type Report = (what: 'succeeded' | 'failed' | 'abandoned') => void;

/**
 * Tells of an answer. A stream that has begun tells nothing yet: whether its target is well shows when it ends, and one that
 * breaks in the middle every time is not. A trial alone is over when the stream begins: how long that takes is up to the
 * client, and nobody else could ask meanwhile.
 */
export function reportAnswer<Answer extends GivenAnswer>(
  answer: Answer,
  report: Report,
  isTrial: boolean,
): Answer {
  if (answer.kind !== 'stream' || isTrial) report('succeeded');
  if (answer.kind !== 'stream') return answer;
  const { stream } = answer;
  return {
    ...answer,
    stream: {
      forward: (options) =>
        stream.forward({
          ...options,
          settle(summary) {
            report(OUTCOMES[summary.outcome]);
            return options.settle(summary);
          },
        }),
      cancel() {
        report('abandoned');
        stream.cancel();
      },
    },
  };
}

const OUTCOMES = {
  complete: 'succeeded',
  blocked: 'succeeded',
  aborted: 'abandoned',
  incomplete: 'failed',
} as const;
