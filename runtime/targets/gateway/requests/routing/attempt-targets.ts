import { retryDelay } from '#core/limits/retry-delay.ts';
import type { Clock } from '#platform/clock.ts';
import type { FailedAnswer, SuccessfulAnswer } from '../../providers/adapters/provider.ts';
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
import { judgeFailure } from './judge-failure.ts';
import { measureAnswer } from './measure-answer.ts';
import { type Report, reportResult } from './report-result.ts';
import type { TargetStates } from './target-states.ts';
import { pause } from '#platform/pause.ts';

export interface AttemptParts {
  readonly states: TargetStates;
  readonly policy: RoutingPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether loads and speeds of targets are needed. */
  readonly isMeasured?: boolean | undefined;
}

export type AttemptTargets = <Answer extends SuccessfulAnswer>(
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
