import type { SuccessfulAnswer } from '../../providers/adapters/provider.ts';
import { onStreamEnd } from './on-stream-end.ts';
import type { TargetLoads } from './target-loads.ts';

interface Measurement {
  readonly loads: TargetLoads;
  readonly key: string;
  /** Until the whole answer, or until the first output of a stream. */
  readonly durationMs: number;
  readonly now: number;
  /** Called when the target has nothing to do for the request any more. */
  readonly end: () => void;
}

/** UTF-16 code units of output per token, for answers without usage. */
const UNITS_PER_TOKEN = 4;

/** Records the speed of an answer, and when it has ended. Answers without output tokens, such as vectors, count as one token. */
export function measureAnswer<Answer extends SuccessfulAnswer>(
  answer: Answer,
  { loads, key, durationMs, now, end }: Measurement,
): Answer {
  if (answer.kind === 'stream') {
    loads.measured(key, 'stream', durationMs, now);
    return { ...answer, stream: onStreamEnd(answer.stream, end) };
  }
  end();
  const tokens = answer.kind === 'whole' ? outputTokens(answer.summary) : 0;
  loads.measured(key, 'whole', durationMs / Math.max(1, tokens), now);
  return answer;
}

const outputTokens = ({
  usage,
  outputLength,
}: Extract<SuccessfulAnswer, { kind: 'whole' }>['summary']): number =>
  usage?.completionTokens ?? outputLength / UNITS_PER_TOKEN;
