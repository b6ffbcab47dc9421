import type { Static } from 'typebox';
import { dollarsOf } from '../../shared/money.ts';
import { rfc3339 } from '#core/time/rfc3339.ts';
import { entriesOf } from '#core/values/keys.ts';
import { UNIT_FIELDS, type UnitField } from '../../accounts/ledger/price-units.ts';
import type { UnitRates } from '../../shared/unit-price.ts';
import type { TokenRates } from '../../shared/token-price.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import type { pricing } from './schemas.ts';
import { dollarsOrNull } from '../http/money-view.ts';

export const pricingView = (price: Price): Static<typeof pricing> => ({
  model_key: price.modelKey,
  ...ratesView(price),
  ...unitsView(price.units),
  tiers: (price.tiers ?? []).map((tier) => ({ above_prompt_tokens: tier.aboveTokens, ...ratesView(tier) })),
  effective_at: rfc3339(price.effectiveAt),
});

/** Only the prices that are set. */
const unitsView = (units: UnitRates = {}): Partial<Record<UnitField, number>> =>
  Object.fromEntries(
    entriesOf(UNIT_FIELDS).flatMap(([name, field]) => {
      const amount = units[name];
      return amount === undefined ? [] : [[field, dollarsOf(amount)]];
    }),
  );

const ratesView = (rates: TokenRates) => ({
  input_price_per_million: dollarsOf(rates.input),
  output_price_per_million: dollarsOf(rates.output),
  cached_input_price_per_million: dollarsOrNull(rates.cachedInput),
  cache_write_price_per_million: dollarsOrNull(rates.cacheWrite ?? null),
  cache_write_1h_price_per_million: dollarsOrNull(rates.cacheWrite1h ?? null),
});
