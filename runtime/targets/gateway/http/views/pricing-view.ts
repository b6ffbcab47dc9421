import type { Static } from 'typebox';
import { dollarsOf } from '../../../../core/money.ts';
import { rfc3339 } from '../../../../core/rfc3339.ts';
import type { Price } from '../../ledger/api.ts';
import type { pricing } from '../schemas/pricing.ts';
import { dollarsOrNull } from './money-view.ts';

export const pricingView = (price: Price): Static<typeof pricing> => ({
  model_key: price.modelKey,
  input_price_per_million: dollarsOf(price.input),
  output_price_per_million: dollarsOf(price.output),
  cached_input_price_per_million: dollarsOrNull(price.cachedInput),
  effective_at: rfc3339(price.effectiveAt),
});
