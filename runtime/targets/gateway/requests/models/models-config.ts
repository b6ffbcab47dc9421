import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import type { IdempotencySettings } from '../../accounts/idempotency/idempotency-settings.ts';
import type { QueueSettings } from '../../accounts/ledger/waiting/queue-settings.ts';
import type { CacheSettings } from '../cache/cache-settings.ts';
import type { GuardrailProfile, GuardrailRule } from '../guardrails/guardrail.ts';
import type { EncoderProgram, ProviderInstance } from '../../providers/adapters/provider.ts';
import type { PromptPolicy, RequestPolicy } from '../../providers/shapes/policies.ts';
import type { AffinitySettings } from '../routing/affinity.ts';
import type { Alias, RoutingPolicy } from '../routing/routing.ts';
import type { ToolSettings } from '../../shared/tool-settings.ts';

/** The part of the configuration that a reload replaces. It is always replaced as a whole. */
export interface ModelsConfig {
  readonly providers: readonly (ProviderInstance | EncoderProgram)[];
  readonly aliases: readonly Alias[];
  readonly routing: Partial<RoutingPolicy>;
  /** Undefined if requests have no sessions. */
  readonly affinity?: AffinitySettings | undefined;
  readonly guardrails: {
    readonly profiles: readonly GuardrailProfile[];
    /** The policy's rules, which apply to every request. */
    readonly demanded: readonly GuardrailRule[];
    /** Whether realtime sessions are allowed although the policy does not apply to them. */
    readonly allowsSessions?: boolean | undefined;
  };
  /** Prices for models without a price in the database. */
  readonly pricing: readonly NewPrice[];
  /** Whether requests to models without a price are rejected. */
  readonly requirePricing: boolean;
  /** Whether requests under a budget can use models without a price. Budgets do not count their cost. */
  readonly allowUnpriced: boolean;
  readonly requests: RequestPolicy;
  readonly prompts: PromptPolicy;
  /** Output tokens to assume for requests that set no maximum. */
  readonly assumedOutputTokens: number;
  /** Default: `IDEMPOTENCY_DEFAULTS`. */
  readonly idempotency?: IdempotencySettings | undefined;
  /** Default: `QUEUE_DEFAULTS`. */
  readonly queue?: QueueSettings | undefined;
  /** Undefined if responses are not cached. */
  readonly cache?: CacheSettings | undefined;
  /** Undefined if the gateway runs no tools. */
  readonly tools?: ToolSettings | undefined;
}
