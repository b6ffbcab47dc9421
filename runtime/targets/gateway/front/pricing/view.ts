import type { Static } from 'typebox';
import { dollarsOf } from '../../shared/money.ts';
import { rfc3339 } from '../../../../core/time/rfc3339.ts';
import type { TokenRates } from '../../shared/token-price.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import type { pricing } from './schemas.ts';
import { dollarsOrNull } from '../http/money-view.ts';

export const pricingView = (price: Price): Static<typeof pricing> => ({
  model_key: price.modelKey,
  ...ratesView(price),
  tiers: (price.tiers ?? []).map((tier) => ({ above_prompt_tokens: tier.aboveTokens, ...ratesView(tier) })),
  effective_at: rfc3339(price.effectiveAt),
});

const ratesView = (rates: TokenRates) => ({
  input_price_per_million: dollarsOf(rates.input),
  output_price_per_million: dollarsOf(rates.output),
  cached_input_price_per_million: dollarsOrNull(rates.cachedInput),
  cache_write_price_per_million: dollarsOrNull(rates.cacheWrite ?? null),
  cache_write_1h_price_per_million: dollarsOrNull(rates.cacheWrite1h ?? null),
});
