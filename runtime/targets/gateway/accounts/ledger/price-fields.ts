import type { Nanos } from '../../shared/money.ts';
import type { TokenRates } from '../../shared/price.ts';

/** Price names in the HTTP API, in files and in `gateway.yml`. */
export const RATE_FIELDS = {
  input: 'input_price_per_million',
  output: 'output_price_per_million',
  cachedInput: 'cached_input_price_per_million',
  cacheWrite: 'cache_write_price_per_million',
  cacheWrite1h: 'cache_write_1h_price_per_million',
} as const satisfies Record<keyof TokenRates, string>;

export type RateField = (typeof RATE_FIELDS)[keyof typeof RATE_FIELDS];

/** The number of prompt tokens above which a tier applies. */
export const TIER_FIELD = 'above_prompt_tokens';

export const MAX_TIERS = 16;

/** Builds token rates with functions that return a field's value. */
export const readRates = (
  required: (field: RateField) => Nanos,
  optional: (field: RateField) => Nanos | null,
): TokenRates => ({
  input: required(RATE_FIELDS.input),
  output: required(RATE_FIELDS.output),
  cachedInput: optional(RATE_FIELDS.cachedInput),
  cacheWrite: optional(RATE_FIELDS.cacheWrite),
  cacheWrite1h: optional(RATE_FIELDS.cacheWrite1h),
});
