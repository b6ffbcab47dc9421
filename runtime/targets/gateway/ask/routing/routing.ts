import type { BreakerPolicy } from './circuit-breaker.ts';
import type { RetryPolicy } from '../../shared/retry-plan.ts';
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
  WholeAnswer,
} from '../providers/provider.ts';

/** A name for several models: which one answers is drawn or tried in order. */
export interface Alias {
  readonly name: string;
  /** One is drawn by weight; if it fails, one of the rest is drawn, and so on. */
  readonly targets: readonly WeightedTarget[];
  /** Model strings that are tried in this order after all targets have failed. */
  readonly fallbacks?: readonly string[] | undefined;
}

export interface WeightedTarget {
  /** `provider:model`. */
  readonly model: string;
  /** 1 unless said otherwise; 0 is only ever tried after all others. */
  readonly weight?: number | undefined;
}

/** Where a request can go. */
export interface Target {
  readonly provider: Provider;
  /** As the provider knows it. */
  readonly model: string;
  /** `provider:model`, for accounts and logs: the same however the model was written. */
  readonly key: string;
  /** What else it may have been called when its price was set. */
  readonly otherKeys: readonly string[];
}

/** What a model string stands for. */
export interface Resolved {
  /** In the order in which they are to be tried; at least one. */
  readonly targets: readonly Target[];
  /** The name that the client used, if it is an alias. */
  readonly alias: string | undefined;
}

/** What became of one try to get an answer. */
export interface Attempt {
  readonly target: string;
  /** From 1, over all targets of the request. */
  readonly number: number;
  readonly outcome: 'answered' | 'failed' | 'skipped';
  /** Undefined for `answered`; a target is skipped while its breaker is open. */
  readonly failure: FailureKind | 'breaker_open' | undefined;
  readonly upstreamStatus: number | undefined;
  /** Why it failed, for logs and administrators. */
  readonly detail?: string | undefined;
  /** By the clock of the gateway, in milliseconds; of a stream, up to its first event. */
  readonly startedAt: number;
  readonly durationMs: number;
  /** The provider's answer to a failed attempt is still read, and billed. */
  readonly abandoned?: AbandonedAnswer | undefined;
}

/** A request without what routing decides. */
type ChatRequestCall = Omit<ProviderCall, 'model' | 'showModel'>;
type EmbeddingsRequestCall = Omit<EmbeddingsCall, 'model' | 'showModel'>;

export interface Routed<Answer> {
  readonly answer: Answer | FailedAnswer;
  /** Which target answered, or failed last. */
  readonly target: Target;
  readonly attempts: readonly Attempt[];
}

export interface RouteOptions {
  /** Called as each attempt ends. */
  readonly onAttempt?: ((attempt: Attempt) => void) | undefined;
}

/** Finds somebody who answers. */
export interface Router {
  /** Throws an AppError (MalformedError) for a model string that stands for nothing. */
  resolve(model: string): Resolved;
  chat(resolved: Resolved, call: ChatRequestCall, options?: RouteOptions): Promise<Routed<ChatAnswer>>;
  embed(
    resolved: Resolved,
    call: EmbeddingsRequestCall,
    options?: RouteOptions,
  ): Promise<Routed<WholeAnswer | FailedAnswer>>;
  classify(
    resolved: Resolved,
    call: ClassifyCall,
    options?: RouteOptions,
  ): Promise<Routed<ClassifiedAnswer | FailedAnswer>>;
  /** All models of all providers that tell theirs, and the aliases; ids are model strings. */
  models(signal: AbortSignal): Promise<readonly ModelEntry[]>;
  /** A provider that can classify, by the name that the configuration gives it. */
  classifier(name: string): Provider | undefined;
}

export interface RoutingPolicy {
  readonly retry: RetryPolicy;
  readonly breaker: BreakerPolicy;
}
