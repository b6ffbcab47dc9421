import type { KeyState } from '../../providers/adapters/keys/key-state.ts';
import type { ObjectCall, ProviderObjects, RealtimeCall } from '../../providers/adapters/other-calls.ts';
import type { Passed } from '../../providers/shapes/passed.ts';
import type { TargetState, RetryBudgetPolicy, BreakerPolicy } from './target-states.ts';
import type { AbSettings } from './ab-settings.ts';
import type { ShadowSettings } from './shadow-settings.ts';
import type { Strategy } from './strategies.ts';
import type { Session } from '../../shared/moved-sessions.ts';
import type { RetryPolicy } from '#core/limits/retry-delay.ts';
import type {
  AbandonedAnswer,
  ChatAnswer,
  ClassifiedAnswer,
  ClassifyCall,
  EmbeddingsCall,
  FailedAnswer,
  FailureKind,
  ModelEntry,
  Provider,
  ProviderCall,
  RelayCall,
  WholeAnswer,
} from '../../providers/adapters/provider.ts';

/**
 * A name for several models. Its strategy selects which one is tried first; the others are tried if that
 * one fails.
 */
export interface Alias {
  readonly name: string;
  /**
   * The models to select from. With the strategy `weighted`, one is drawn by weight; if it fails, another
   * one is drawn, and so on.
   */
  readonly targets: readonly WeightedTarget[];
  /** Default: `weighted`. */
  readonly strategy?: Strategy | undefined;
  /** Model strings that are tried, in this order, after all targets have failed. */
  readonly fallbacks?: readonly string[] | undefined;
  /** Undefined if no candidate is evaluated. */
  readonly shadow?: ShadowSettings | undefined;
  /** Undefined if all users get responses from the targets. */
  readonly ab?: AbSettings | undefined;
}

export interface WeightedTarget {
  /** Model string, `provider:model`. */
  readonly model: string;
  /** Default: 1. A target with weight 0 is tried after all others. */
  readonly weight?: number | undefined;
}

/**
 * The interface of a provider in all code except the guardrails: it only accepts content that has passed
 * the policy.
 */
export interface PolicedProvider extends Pick<
  Provider,
  'name' | 'type' | 'models' | 'modelNames' | 'listedAs' | 'program' | 'keys' | 'speaks'
> {
  readonly chat: (call: Passed<ProviderCall>) => ReturnType<Provider['chat']>;
  readonly embed: (call: Passed<EmbeddingsCall>) => ReturnType<Provider['embed']>;
  readonly relay: (call: Passed<RelayCall>) => ReturnType<Provider['relay']>;
  readonly classify?:
    | ((call: Passed<ClassifyCall>) => ReturnType<NonNullable<Provider['classify']>>)
    | undefined;
  readonly countTokens?:
    | ((call: Passed<ProviderCall>) => ReturnType<NonNullable<Provider['countTokens']>>)
    | undefined;
  readonly realtime?:
    | ((call: Passed<RealtimeCall>) => ReturnType<NonNullable<Provider['realtime']>>)
    | undefined;
  readonly objects?: PolicedObjects | undefined;
}

/** The objects stored by a provider, with the same restriction. */
export interface PolicedObjects {
  readonly call: (call: Passed<ObjectCall>) => ReturnType<ProviderObjects<FailedAnswer>['call']>;
  readonly open: (call: Passed<ObjectCall>) => ReturnType<ProviderObjects<FailedAnswer>['open']>;
}

/** A model of a provider, to which a request can be sent. */
export interface Target {
  readonly provider: PolicedProvider;
  /** The provider's name for the model. */
  readonly model: string;
  /** Canonical `provider:model` for usage and logs, the same for all spellings of the model. */
  readonly key: string;
  /** Other spellings of the model under which a price may have been set. */
  readonly otherKeys: readonly string[];
  /** The provider's name in the price map; undefined if the map's prices do not apply to it. */
  readonly listedAs?: string | undefined;
}

/** The targets that a model string refers to. */
export interface Resolved {
  /** At least one, in the order in which they are tried. */
  readonly targets: readonly Target[];
  /**
   * How many of the targets, starting with the first one, are primary targets. The others are only tried if
   * all primary targets fail.
   */
  readonly primaries: number;
  readonly strategy: Strategy;
  /** The model string in the request, if it is an alias. */
  readonly alias: string | undefined;
  /** Set if a candidate is evaluated with the alias's requests. */
  readonly shadow?: ShadowSettings | undefined;
  /** The candidate of an A/B test, if it is tried first. If it rejects the request, the other targets are tried. */
  readonly candidate?: Target | undefined;
  /** Called with the target that responded, if the targets are ordered for a session. */
  readonly onServed?: ((target: Target) => void) | undefined;
}

/** Why a failed request is not sent to the same target again. */
export type NoRetryReason =
  /** Another call would also fail, or be billed again. */
  | 'not_retryable'
  | 'attempts_used'
  /** The provider requested a longer pause than `retries.longest_pause`. */
  | 'long_pause'
  /** This target's retry budget is exhausted. */
  | 'budget_spent';

/** The result of one attempt to get a response. */
export interface Attempt {
  readonly target: string;
  /** Number of the attempt, counted from 1 across all of the request's targets. */
  readonly number: number;
  readonly outcome: 'answered' | 'failed' | 'skipped';
  /**
   * The kind of failure; undefined for `answered`. With `breaker_open`, the target was skipped because its
   * breaker was open.
   */
  readonly failure: FailureKind | 'breaker_open' | undefined;
  readonly upstreamStatus: number | undefined;
  /** Failure details for logs and administrators. */
  readonly detail?: string | undefined;
  /** Milliseconds since 1970. A stream's duration is the time to its first event. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** Set if the provider's response to a failed attempt is still being read and billed. */
  readonly abandoned?: AbandonedAnswer | undefined;
  /** Why this failure was not followed by a retry; undefined if there was a retry. */
  readonly noRetry?: NoRetryReason | undefined;
  /** The name of the key that was used, at a provider that has several. */
  readonly providerKey?: string | undefined;
}

/** A call without the model, which routing selects. */
type ChatRequestCall = Omit<ProviderCall, 'model' | 'showModel'>;
type EmbeddingsRequestCall = Omit<EmbeddingsCall, 'model' | 'showModel'>;

export interface Routed<Answer> {
  readonly answer: Answer | FailedAnswer;
  /** The target that responded or, if none did, failed last. */
  readonly target: Target;
  readonly attempts: readonly Attempt[];
}

export interface RouteOptions {
  /** The request's user. Failures of one user's requests do not affect other users' requests. */
  readonly owner?: string | undefined;
  /** Called before each call of a target. */
  readonly onCall?: ((target: string) => void) | undefined;
  /** Called as each attempt ends. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** Selects targets for model strings and calls them. */
export interface Router {
  /**
   * Throws a MalformedError for an unknown model string. For an alias, `isStream` matters because a
   * different target can be the fastest for streams. With a session, the strategy `weighted` selects the same
   * target for all requests of the session. With `isCandidate`, the candidate of the alias's A/B test comes first.
   */
  resolve(model: string, isStream?: boolean, session?: Session, isCandidate?: boolean): Resolved;
  /** The target that a model string refers to. Throws a MalformedError for an alias or an unknown model. */
  target(model: string): Target;
  chat(
    resolved: Resolved,
    call: Passed<ChatRequestCall>,
    options?: RouteOptions,
  ): Promise<Routed<ChatAnswer>>;
  embed(
    resolved: Resolved,
    call: Passed<EmbeddingsRequestCall>,
    options?: RouteOptions,
  ): Promise<Routed<WholeAnswer | FailedAnswer>>;
  relay(
    resolved: Resolved,
    call: Passed<Omit<RelayCall, 'model' | 'showModel'>>,
    options?: RouteOptions,
  ): Promise<Routed<ChatAnswer>>;
  classify(
    resolved: Resolved,
    call: Passed<ClassifyCall>,
    options?: RouteOptions,
  ): Promise<Routed<ClassifiedAnswer | FailedAnswer>>;
  /** The aliases, and the models of all available providers. Their IDs are model strings. */
  models(signal: AbortSignal): Promise<readonly ModelEntry[]>;
  /** The encoder with this name in the configuration. */
  classifier(name: string): Provider | undefined;
  /** The state of each target that this process has called. */
  states(): readonly TargetState[];
  /** The states of the keys of providers that have several. */
  keys(now: number): readonly KeyState[];
  /** The provider with this name. */
  provider(name: string): PolicedProvider | undefined;
  /** The providers that store files, batches and responses, in the order of the configuration. */
  readonly storing: readonly PolicedProvider[];
}

export interface RoutingPolicy {
  readonly retry: RetryPolicy;
  readonly breaker: BreakerPolicy;
  readonly retryBudget: RetryBudgetPolicy;
}
