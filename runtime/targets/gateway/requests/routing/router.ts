import { AppError } from '#contract/errors.ts';
import {
  BREAKER_POLICY,
  RETRY_BUDGET_POLICY,
  createTargetStates,
  type TargetStates,
} from './target-states.ts';
import { breakerResult, JUDGEMENTS, type TargetResult } from './failures.ts';
import { sortTargets } from './alias-order.ts';
import { orderByWeight } from '../../shared/weighted-order.ts';
import { RETRY_POLICY } from '../../shared/retry-plan.ts';
import type { Clock } from '#platform/clock.ts';
import type {
  FailedAnswer,
  ModelEntry,
  Provider,
  StreamedAnswer,
  WholeAnswer,
  SuccessfulAnswer,
} from '../../providers/adapters/provider.ts';
import { failure } from '../../providers/adapters/failure.ts';
import type {
  Alias,
  Resolved,
  Router,
  RoutingPolicy,
  Target,
  Attempt,
  NoRetryReason,
  Routed,
  RouteOptions,
} from './routing.ts';
import { parseModel } from '../../shared/model-string.ts';
import type { Strategy } from './strategies.ts';
import { retryDelay } from '#core/limits/retry-delay.ts';
import type { TargetLoads } from './target-loads.ts';
import { pause } from '#platform/wait-for.ts';
import { orderForSession } from '../../shared/rendezvous.ts';
import type { Session } from '../../shared/moved-sessions.ts';
import type { StreamSummary, OpenedStream } from '../../providers/streams/stream.ts';

interface RouterOptions {
  readonly providers: readonly Provider[];
  readonly aliases?: readonly Alias[] | undefined;
  readonly clock: Clock;
  readonly random: () => number;
  readonly policy?: Partial<RoutingPolicy> | undefined;
  /** Existing target states to continue with. Default: none. */
  readonly states?: TargetStates | undefined;
}

/** Defaults for settings missing from the configuration. */
export const ROUTING_POLICY: RoutingPolicy = {
  retry: RETRY_POLICY,
  breaker: BREAKER_POLICY,
  retryBudget: RETRY_BUDGET_POLICY,
};

export function createRouter({
  providers,
  aliases = [],
  clock,
  random,
  policy,
  states: known,
}: RouterOptions): Router {
  const rules: RoutingPolicy = { ...ROUTING_POLICY, ...policy };
  const states = known ?? createTargetStates(() => rules);
  const isMeasured = aliases.some(({ strategy = 'weighted' }) => MEASURED.has(strategy));
  const attempt = createAttempts({ states, policy: rules, clock, random, isMeasured });
  const byName = new Map(providers.map((provider) => [providerKey(provider), provider]));
  const byAlias = new Map(aliases.map((alias) => [alias.name, alias]));

  const targetOf = (text: string): Target => {
    const name = parseModel(text);
    const provider = name && findProvider(name.provider, name.model);
    if (!name || !provider) throw unknownModel(text);
    const [model, ...others] = provider.modelNames?.(name.model) ?? [name.model];
    const keyOf = (one: string): string => `${name.provider}:${one}`;
    const { listedAs } = provider;
    return { provider, model, key: keyOf(model), otherKeys: others.map(keyOf), listedAs };
  };
  const findProvider = (name: string, model: string): Provider | undefined =>
    byName.get(name === ENCODER ? `${ENCODER}:${model}` : name);
  const named = <Call extends object>(call: Call, model: string, { alias }: Resolved) =>
    alias === undefined ? { ...call, model } : { ...call, model, showModel: alias };

  /** The targets of an alias for a session: in the order of their hashes, or first where it has moved to. */
  const resolveForSession = (
    { name, targets, fallbacks = [], shadow }: Alias,
    session: Session,
  ): Resolved => {
    const { sessions } = states;
    const order = orderForSession(
      targets.map(({ model, weight = 1 }) => ({ ...targetOf(model), name: model, weight })),
      session.id,
    );
    const primaries = order.filter(({ weight }) => weight > 0).length || order.length;
    const place = sessions.placeOf(session, name, clock.now());
    const moved = order.slice(0, primaries).filter(({ key }) => key === place);
    const others = order.filter((target) => !moved.includes(target));
    return {
      targets: [...moved, ...others, ...fallbacks.map(targetOf)],
      primaries,
      strategy: 'weighted',
      alias: name,
      shadow,
      onServed: ({ key }) => sessions.served(session, name, key, order[0]?.key ?? key, clock.now()),
    };
  };

  const resolveCurrent = (model: string, isStream: boolean, session: Session | undefined): Resolved => {
    const alias = byAlias.get(model);
    if (!alias) return { targets: [targetOf(model)], primaries: 1, strategy: 'weighted', alias: undefined };
    const { strategy = 'weighted', fallbacks = [], shadow } = alias;
    if (session && strategy === 'weighted') return resolveForSession(alias, session);
    const drawn = orderByWeight(alias.targets, random).map(({ model: name, weight = 1 }) => ({
      ...targetOf(name),
      weight,
    }));
    // Targets with weight 0 are drawn last; they are primary targets only if no other target has a
    // weight.
    const primaries = drawn.filter(({ weight }) => weight > 0).length || drawn.length;
    const kind = isStream ? 'stream' : 'whole';
    const sorted = sortTargets(drawn.slice(0, primaries), strategy, {
      loads: states.loads,
      kind,
      now: clock.now(),
      random,
    });
    const targets = [...sorted, ...drawn.slice(primaries), ...fallbacks.map(targetOf)];
    return { targets, primaries, strategy, alias: model, shadow };
  };

  return {
    target: targetOf,
    resolve(model, isStream = false, session, isCandidate = false) {
      const resolved = resolveCurrent(model, isStream, session);
      const ab = isCandidate ? byAlias.get(model)?.ab : undefined;
      return ab ? withCandidate(targetOf(ab.model), resolved) : resolved;
    },
    chat: (resolved, call, options) =>
      attempt<WholeAnswer | StreamedAnswer>(
        resolved,
        call.signal,
        ({ provider, model }, hasFallback) => provider.chat({ ...named(call, model, resolved), hasFallback }),
        options,
      ),
    embed: (resolved, call, options) =>
      attempt<WholeAnswer>(
        resolved,
        call.signal,
        ({ provider, model }) => provider.embed(named(call, model, resolved)),
        options,
      ),
    relay: (resolved, call, options) =>
      attempt<WholeAnswer | StreamedAnswer>(
        resolved,
        call.signal,
        ({ provider, model }) => provider.relay(named(call, model, resolved)),
        options,
      ),
    classify: (resolved, call, options) =>
      attempt(
        resolved,
        call.signal,
        async ({ provider }) => (await provider.classify?.(call)) ?? cannotClassify(provider),
        options,
      ),
    async models(signal) {
      const lists = await Promise.all(providers.map((provider) => modelsOf(provider, signal)));
      const names = aliases.map(({ name }) => ({ id: name, created: 0, ownedBy: 'gateway' }));
      return [...names, ...lists.flat()];
    },
    classifier(name) {
      return byName.get(`${ENCODER}:${name}`);
    },
    states: () => states.list(clock.now()),
    keys: (now) => providers.flatMap(({ keys }) => keys?.states(now) ?? []),
    provider: (name) => byName.get(name.toLowerCase()),
    storing: providers.filter(({ objects }) => objects),
  };
}

/** The targets of a request for which the candidate of an A/B test responds. */
function withCandidate(candidate: Target, { targets, alias }: Resolved): Resolved {
  const others = targets.filter(({ key }) => key !== candidate.key);
  // Only the candidate's responses are cached for other users who have it.
  return { targets: [candidate, ...others], primaries: 1, strategy: 'weighted', alias, candidate };
}

/** Strategies that need measurements of the targets' responses. */
const MEASURED = new Set<Strategy>(['fastest', 'least_busy']);

/**
 * A provider's models; empty if the provider is unavailable, so that the models of the other providers are
 * still listed.
 */
async function modelsOf(provider: Provider, signal: AbortSignal): Promise<ModelEntry[]> {
  const models = await provider.models(signal);
  if ('kind' in models) return [];
  return models.map((model) => ({ ...model, id: modelString(provider, model.id) }));
}

/** Provider name of all encoder executables in model strings. */
const ENCODER = 'encoder';

const modelString = ({ type, name }: Provider, model: string): string =>
  type === ENCODER ? `${ENCODER}:${name}` : `${name}:${model}`;

/** The part of a model string that identifies a provider. */
export const providerKey = (provider: Provider): string =>
  provider.type === ENCODER ? modelString(provider, provider.name) : provider.name;

const cannotClassify = ({ name }: Pick<Provider, 'name'>): FailedAnswer =>
  failure('unsupported', {
    text: `Provider \`${name}\` cannot classify. Use a model named \`encoder:<name>\`.`,
  });

function unknownModel(text: string): AppError {
  const message = `Unknown or unsupported model '${text.slice(0, 200)}'. Use the format 'provider:model' with a configured provider.`;
  const details = [{ location: 'body.model', message }];
  return new AppError('MalformedError', message, { reason: 'model_not_found', details });
}

interface AttemptParts {
  readonly states: TargetStates;
  readonly policy: RoutingPolicy;
  readonly clock: Clock;
  readonly random: () => number;
  /** Whether the targets' loads and speeds must be measured. */
  readonly isMeasured?: boolean | undefined;
}

type AttemptTargets = <Answer extends SuccessfulAnswer>(
  resolved: Resolved,
  signal: AbortSignal,
  call: (target: Target, hasFallback: boolean) => Promise<Answer | FailedAnswer>,
  options: RouteOptions | undefined,
) => Promise<Routed<Answer>>;

/**
 * Maximum pause of a target after `Retry-After`. Providers can request pauses of hours, but the target
 * should be tried again sooner.
 */
const MAX_PAUSE_MS = 60_000;

/**
 * Calls one target after another until one responds or starts a stream. After the first byte, nothing is
 * retried.
 */
function createAttempts({ states, policy, clock, random, isMeasured = false }: AttemptParts): AttemptTargets {
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
      /** Returns the last retry to the budget. */
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
          // A trial has only one result; later reports about its stream are treated like those of any other
          // request.
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
            ...('providerKey' in answer && { providerKey: answer.providerKey }),
          });
          resolved.onServed?.(target);
          const reported = reportResult(answer, report, isTrial || isOwnTrial);
          const measured = end
            ? measureAnswer(reported, { loads: states.loads, key: target.key, durationMs, now, end })
            : reported;
          return { answer: measured, target, attempts };
        }
        end?.();
        const { kind, upstreamStatus, retryAfterSeconds, detail, isPaid, abandoned, providerKey } =
          answer.failure;
        const judgement = JUDGEMENTS[kind];
        report(breakerResult(kind, upstreamStatus));
        const pauseMs = retryAfterSeconds === undefined ? undefined : retryAfterSeconds * 1000;
        const delay = retryDelay(retries, pauseMs, random, policy.retry);
        // Not retried after a response that was billed, because the retry would also be billed.
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
          ...(providerKey !== undefined && { providerKey }),
        });
        last = { answer, target };
        if (pauseMs !== undefined) states.pause(target.key, now + Math.min(pauseMs, MAX_PAUSE_MS));
        // The alias's targets may accept a request that the candidate of a test rejects.
        const isRejected = kind === 'bad_request' && target === resolved.candidate;
        if (!judgement.fallBack && !isRejected) return { ...last, attempts };
        if (noRetry !== undefined || delay === undefined) break;
        await pause(delay, clock, signal);
        if (signal.aborted) return { answer: failure('cancelled'), target, attempts };
      }
    }
    if (!last) throw new Error('A model must have at least one target.');
    return { ...last, attempts };
  };
}

/**
 * Calls a target. An exception indicates a bug in the gateway; even then, the trial is ended so that the
 * breaker does not stay open forever.
 */
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

/** Reports a request's result to its target's breaker. */
type Report = (result: TargetResult) => void;

/**
 * Reports a response to the breaker. A stream is reported when it ends, because a target whose streams
 * always break in the middle is not healthy. However, a trial is already reported when its stream starts:
 * the client determines how long the stream takes, and the breaker would reject all other requests until it
 * ends.
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
  /** Time until the complete response, or until a stream's first output. */
  readonly durationMs: number;
  readonly now: number;
  /** Called when the target has finished its work on the request. */
  readonly end: () => void;
}

/** UTF-16 code units of output per token, for responses without usage. */
const UNITS_PER_TOKEN = 4;

/**
 * Records the speed of a response, and calls `end` once the response has ended. Responses without output
 * tokens, such as vectors, count as one token.
 */
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

/**
 * Calls a function when a stream has ended, with the stream's summary, or without a summary if the stream
 * was discarded.
 */
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
