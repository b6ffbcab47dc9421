import type { SuccessfulAnswer } from '../../providers/adapters/provider.ts';
import type { StreamSummary } from '../../providers/streams/stream.ts';
import { onStreamEnd } from './on-stream-end.ts';
import type { TargetResult } from './target-breakers.ts';

/** Reports the result of a request to the breaker of its target. */
export type Report = (result: TargetResult) => void;

/**
 * Reports an answer. A stream is reported when it ends, because a target whose streams always break in the middle is not healthy.
 * Only a trial is reported when its stream starts: the client decides how long the stream takes, and the breaker would reject all
 * other requests until then.
 */
export function reportResult<Answer extends SuccessfulAnswer>(
  answer: Answer,
  report: Report,
  isTrial: boolean,
): Answer {
  if (answer.kind !== 'stream' || isTrial) report('succeeded');
  if (answer.kind !== 'stream') return answer;
  const reportEnd = (summary: StreamSummary | undefined): void =>
    report(summary ? OUTCOMES[summary.outcome] : 'abandoned');
  return { ...answer, stream: onStreamEnd(answer.stream, reportEnd) };
}

const OUTCOMES = {
  complete: 'succeeded',
  blocked: 'succeeded',
  aborted: 'abandoned',
  incomplete: 'failed',
} as const;
