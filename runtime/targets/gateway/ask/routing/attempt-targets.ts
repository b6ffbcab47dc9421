import { addRequest, FULL_RETRY_BUDGET, retryDelay, takeRetry } from '../../shared/retry-plan.ts';
import type { Clock } from '../../../../platform/clock.ts';
import type { FailedAnswer, GivenAnswer } from '../providers/provider.ts';
import { failure } from '../providers/failure.ts';
import type { Attempt, Resolved, Routed, RouteOptions, RoutingPolicy, Target } from './routing.ts';
import { judgeFailure } from './judge-failure.ts';
import { type Report, reportAnswer } from './report-answer.ts';
import type { TargetStates } from './target-states.ts';
import { pause } from '../../../../platform/pause.ts';

export interface AttemptParts {
  readonly states: TargetStates;
  readonly policy: RoutingPolicy;
  readonly clock: Clock;
  readonly random: () => number;
}

export type AttemptTargets = <Answer extends GivenAnswer>(
  resolved: Resolved,
  signal: AbortSignal,
  ask: (target: Target) => Promise<Answer | FailedAnswer>,
  options: RouteOptions | undefined,
) => Promise<Routed<Answer>>;

/** A pause that a provider asks for can be hours; that is for a target to be left aside, not to be forgotten. */
const LONGEST_PAUSE_MS = 60_000;

/** Asks target after target until one answers, or begins to: after that, nothing is asked again. */
export function createAttempts({ states, policy, clock, random }: AttemptParts): AttemptTargets {
  let budget = FULL_RETRY_BUDGET;
  const mayRetry = (): boolean => {
    const rest = takeRetry(budget);
    budget = rest ?? budget;
    return rest !== undefined;
  };

  return async (resolved, signal, ask, options) => {
    budget = addRequest(budget);
    const attempts: Attempt[] = [];
    const note = (attempt: Omit<Attempt, 'number'>): void => {
      const numbered = { ...attempt, number: attempts.length + 1 };
      attempts.push(numbered);
      options?.onAttempt?.(numbered);
    };
    const order = byPause(resolved.targets, states, clock.now());
    let last: { readonly answer: FailedAnswer; readonly target: Target } | undefined;
    for (const target of order) {
      for (let retries = 0; ; retries += 1) {
        const startedAt = clock.now();
        const admission = states.admit(target.key, startedAt);
        if (!admission.admitted) {
          note(skipped(target, startedAt));
          last ??= { answer: breakerOpen(admission.retryAfter), target };
          break;
        }
        let { isTrial } = admission;
        const report: Report = (what) => {
          states.report(target.key, what, isTrial, clock.now());
          // A trial is decided once; what such a stream tells later counts as of any other.
          isTrial = false;
        };
        const answer = await asked(ask, target, () => report('abandoned'));
        const now = clock.now();
        const durationMs = now - startedAt;
        if (answer.kind !== 'failed') {
          note({
            target: target.key,
            outcome: 'answered',
            failure: undefined,
            upstreamStatus: 200,
            startedAt,
            durationMs,
          });
          return { answer: reportAnswer(answer, report, isTrial), target, attempts };
        }
        const { kind, upstreamStatus, retryAfterSeconds, detail, isPaid, abandoned } = answer.failure;
        const judgement = judgeFailure(kind);
        report(judgement.breaker);
        note({
          target: target.key,
          outcome: 'failed',
          failure: kind,
          upstreamStatus,
          detail,
          startedAt,
          durationMs,
          abandoned,
        });
        last = { answer, target };
        const pauseMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
        if (pauseMs !== undefined) states.pause(target.key, now + Math.min(pauseMs, LONGEST_PAUSE_MS));
        if (!judgement.fallBack) return { ...last, attempts };
        // An answer that was billed once would be billed again.
        const mayDoBetter = judgement.retry && !isPaid;
        const delay = mayDoBetter ? retryDelay(retries, pauseMs, random, policy.retry) : undefined;
        if (delay === undefined || !mayRetry()) break;
        await pause(delay, clock, signal);
        if (signal.aborted) return { answer: failure('cancelled'), target, attempts };
      }
    }
    if (!last) throw new Error('A model stands for at least one target.');
    return { ...last, attempts };
  };
}

/** What is thrown is our own mistake, and no reason to leave a trial open for ever. */
async function asked<Answer>(
  ask: (target: Target) => Promise<Answer>,
  target: Target,
  onThrow: () => void,
): Promise<Answer> {
  try {
    return await ask(target);
  } catch (error) {
    onThrow();
    throw error;
  }
}

/** Those that asked to be left alone come last, not never: nobody else may be there. */
function byPause(targets: readonly Target[], states: TargetStates, now: number): readonly Target[] {
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
