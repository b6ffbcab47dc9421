import { retryDelay } from '#core/limits/retry-delay.ts';
import type { Clock } from '#platform/clock.ts';
import type { FailedAnswer, SuccessfulAnswer, FailureKind } from '../../providers/adapters/provider.ts';
import { failure } from '../../providers/adapters/failure.ts';
import type {
  Attempt,
  NoRetryReason,
  Resolved,
  Routed,
  RouteOptions,
  RoutingPolicy,
  Target,
} from './routing.ts';
import type { TargetStates, TargetLoads } from './target-states.ts';
import { pause } from '#platform/wait-for.ts';
import type { TargetResult } from './target-breakers.ts';
import type { StreamSummary, OpenedStream } from '../../providers/streams/stream.ts';

interface AttemptParts {
  readonly states: TargetStates;
  readonly policy: RoutingPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether loads and speeds of targets are needed. */
  readonly isMeasured?: boolean | undefined;
}

type AttemptTargets = <Answer extends SuccessfulAnswer>(
  resolved: Resolved,
  signal: AbortSignal,
  call: (target: Target, hasFallback: boolean) => Promise<Answer | FailedAnswer>,
  options: RouteOptions | undefined,
) => Promise<Routed<Answer>>;

/** Maximum pause of a target after `Retry-After`. Providers can request hours, but the target should be tried again before that. */
const MAX_PAUSE_MS = 60_000;

/** Calls one target after the other until one answers or starts a stream: after the first byte nothing is retried. */
export function createAttempts({
  states,
  policy,
  clock,
  random,
  isMeasured = false,
}: AttemptParts): AttemptTargets {
  return async (resolved, signal, call, options) => {
    const attempts: Attempt[] = [];
    const owner = options?.owner;
    const record = (attempt: Omit<Attempt, 'number'>): void => {
      const numbered = { ...attempt, number: attempts.length + 1 };
      attempts.push(numbered);
      options?.onAttempt?.(numbered);
    };
    const order = pausedLast(resolved.targets, states, clock.now());
    let last: { readonly answer: FailedAnswer; readonly target: Target } | undefined;
    for (const [place, target] of order.entries()) {
      const callPlaced = (one: Target) => call(one, place < order.length - 1);
      const budget = states.retries(target.key);
      budget.request(clock.now(), owner);
      /** Gives the last retry back to the budget. */
      let refund: (() => void) | undefined;
      for (let retries = 0; ; retries += 1) {
        const startedAt = clock.now();
        const admission = states.admit(target.key, startedAt, owner);
        if (!admission.admitted) {
          record(skipped(target, startedAt));
          last ??= { answer: breakerOpen(admission.retryAfter), target };
          break;
        }
        let { isTrial, isOwnTrial } = admission;
        const report: Report = (result) => {
          states.report(target.key, result, { owner, isTrial, isOwnTrial }, clock.now());
          // A trial is decided once; later reports of its stream count like those of any other request.
          [isTrial, isOwnTrial] = [false, false];
        };
        const end = isMeasured ? states.loads.start(target.key) : undefined;
        options?.onCall?.(target.key);
        const answer = await callTarget(callPlaced, target, () => {
          end?.();
          report('abandoned');
        });
        const now = clock.now();
        const durationMs = now - startedAt;
        if (answer.kind !== 'failed') {
          refund?.();
          record({
            target: target.key,
            outcome: 'answered',
            failure: undefined,
            upstreamStatus: 200,
            startedAt,
            durationMs,
          });
          const reported = reportResult(answer, report, isTrial || isOwnTrial);
          const measured = end
            ? measureAnswer(reported, { loads: states.loads, key: target.key, durationMs, now, end })
            : reported;
          return { answer: measured, target, attempts };
        }
        end?.();
        const { kind, upstreamStatus, retryAfterSeconds, detail, isPaid, abandoned } = answer.failure;
        const judgement = judgeFailure(kind);
        report(judgement.breaker);
        const pauseMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
        const delay = retryDelay(retries, pauseMs, random, policy.retry);
        // Retrying a billed answer would be billed again.
        let noRetry: NoRetryReason | undefined =
          !judgement.retry || isPaid
            ? 'not_retryable'
            : delay !== undefined
              ? undefined
              : retries < policy.retry.retries
                ? 'long_pause'
                : 'attempts_used';
        if (noRetry === undefined) {
          refund = budget.take(now, owner);
          if (!refund) noRetry = 'budget_spent';
        }
        record({
          target: target.key,
          outcome: 'failed',
          failure: kind,
          upstreamStatus,
          detail,
          startedAt,
          durationMs,
          abandoned,
          noRetry,
        });
        last = { answer, target };
        if (pauseMs !== undefined) states.pause(target.key, now + Math.min(pauseMs, MAX_PAUSE_MS));
        if (!judgement.fallBack) return { ...last, attempts };
        if (noRetry !== undefined || delay === undefined) break;
        await pause(delay, clock, signal);
        if (signal.aborted) return { answer: failure('cancelled'), target, attempts };
      }
    }
    if (!last) throw new Error('A model must have at least one target.');
    return { ...last, attempts };
  };
}

/** Calls a target. An exception is a bug of the gateway; the trial is still ended, so that the breaker does not stay open forever. */
async function callTarget<Answer>(
  call: (target: Target) => Promise<Answer>,
  target: Target,
  onThrow: () => void,
): Promise<Answer> {
  try {
    return await call(target);
  } catch (error) {
    onThrow();
    throw error;
  }
}

/** Sorts paused targets last. They are still tried, because no other target may be available. */
function pausedLast(targets: readonly Target[], states: TargetStates, now: number): readonly Target[] {
  if (targets.length === 1) return targets;
  const isPaused = ({ key }: Target): boolean => states.isPaused(key, now);
  return [...targets.filter((target) => !isPaused(target)), ...targets.filter(isPaused)];
}

const skipped = ({ key }: Target, startedAt: number): Omit<Attempt, 'number'> => ({
  target: key,
  outcome: 'skipped',
  failure: 'breaker_open',
  upstreamStatus: undefined,
  startedAt,
  durationMs: 0,
});

const breakerOpen = (retryAfterMs: number): FailedAnswer =>
  failure('unreachable', { retryAfterSeconds: Math.ceil(retryAfterMs / 1000) });

/** The consequences of a failure for the request and for its target. */
interface Judgement {
  /** Whether a retry of the same target can succeed. */
  readonly retry: boolean;
  /** Whether another target can succeed. */
  readonly fallBack: boolean;
  /** The result that is reported to the breaker of the target. */
  readonly breaker: TargetResult;
}

/** Consequences by kind of failure. A target that answers is healthy, even if it rejects the request. */
const JUDGEMENTS: Readonly<Record<FailureKind, Judgement>> = {
  bad_request: { retry: false, fallBack: false, breaker: 'succeeded' },
  // Another provider can have another filter, but a filter must not be avoided without the caller.
  content_filtered: { retry: false, fallBack: false, breaker: 'succeeded' },
  too_large: { retry: false, fallBack: true, breaker: 'succeeded' },
  unsupported: { retry: false, fallBack: true, breaker: 'succeeded' },
  model_not_found: { retry: false, fallBack: true, breaker: 'succeeded' },
  credentials: { retry: false, fallBack: true, breaker: 'down' },
  billing: { retry: false, fallBack: true, breaker: 'down' },
  // Not a failure for the breaker: providers often set the pause themselves with `Retry-After`.
  rate_limited: { retry: true, fallBack: true, breaker: 'abandoned' },
  overloaded: { retry: true, fallBack: true, breaker: 'failed' },
  // Not retried: most clients do not wait for a second time limit.
  timeout: { retry: false, fallBack: true, breaker: 'failed' },
  unreachable: { retry: true, fallBack: true, breaker: 'down' },
  provider_error: { retry: true, fallBack: true, breaker: 'failed' },
  // Not retried: the next answer would be as large, and this one is already billed.
  answer_too_large: { retry: false, fallBack: false, breaker: 'succeeded' },
  stream_incomplete: { retry: true, fallBack: true, breaker: 'failed' },
  cancelled: { retry: false, fallBack: false, breaker: 'abandoned' },
};

const judgeFailure = (kind: FailureKind): Judgement => JUDGEMENTS[kind];

/** Reports the result of a request to the breaker of its target. */
type Report = (result: TargetResult) => void;

/**
 * Reports an answer. A stream is reported when it ends, because a target whose streams always break in the middle is not healthy.
 * Only a trial is reported when its stream starts: the client decides how long the stream takes, and the breaker would reject all
 * other requests until then.
 */
function reportResult<Answer extends SuccessfulAnswer>(
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
function measureAnswer<Answer extends SuccessfulAnswer>(
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

/** Calls a function when a stream has ended, with its summary, or without one if it was discarded. */
const onStreamEnd = (
  stream: OpenedStream,
  onEnd: (summary: StreamSummary | undefined) => void,
): OpenedStream => ({
  forward: (options) =>
    stream.forward({
      ...options,
      settle(summary) {
        onEnd(summary);
        return options.settle(summary);
      },
    }),
  cancel() {
    onEnd(undefined);
    stream.cancel();
  },
});
