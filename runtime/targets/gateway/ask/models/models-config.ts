import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import type { GuardrailProfile, GuardrailRule } from '../guardrails/guardrail.ts';
import type { EncoderProgram, ProviderInstance } from '../providers/provider.ts';
import type { Alias, RoutingPolicy } from '../routing/routing.ts';

/** What can change while the gateway runs: read again on a reload, and replaced as a whole. */
export interface ModelsConfig {
  readonly providers: readonly (ProviderInstance | EncoderProgram)[];
  readonly aliases: readonly Alias[];
  readonly routing: Partial<RoutingPolicy>;
  readonly guardrails: {
    readonly profiles: readonly GuardrailProfile[];
    /** What every request has to pass. */
    readonly demanded: readonly GuardrailRule[];
  };
  /** For models that have no price in the database. */
  readonly pricing: readonly NewPrice[];
  /** Models without a price are refused. */
  readonly requirePricing: boolean;
  /** Requests under a budget may use models without a price; their cost is not counted. */
  readonly allowUnpriced: boolean;
  /** Tokens of an answer to count with, where a request names no most; 1024 unless said otherwise. */
  readonly assumedOutputTokens: number;
}
