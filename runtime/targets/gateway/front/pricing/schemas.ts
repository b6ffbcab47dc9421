import { Type } from 'typebox';
import { closed, orNull } from '../../../../serve/http/schemas.ts';
import { MAX_TIERS } from '../../accounts/ledger/price-fields.ts';
import { dollars, moment, someText, time } from '../http/fields.ts';

const prices = {
  input_price_per_million: dollars('Of tokens of the request, in US dollars per million.'),
  output_price_per_million: dollars('Of tokens of the answer.'),
};
const cachePrices = {
  cached_input_price_per_million: orNull(
    dollars(),
    'Of tokens of the request that the provider still had in its cache; null for the price of all others.',
  ),
  cache_write_price_per_million: orNull(
    dollars(),
    'Of tokens of the request that the provider wrote to its cache; null for the price of all others.',
  ),
  cache_write_1h_price_per_million: orNull(
    dollars(),
    'Of those that it keeps for 1 hour; null for the price of the other cache writes.',
  ),
};
const newCachePrices = {
  cached_input_price_per_million: Type.Optional(cachePrices.cached_input_price_per_million),
  cache_write_price_per_million: Type.Optional(cachePrices.cache_write_price_per_million),
  cache_write_1h_price_per_million: Type.Optional(cachePrices.cache_write_1h_price_per_million),
};
const above = {
  above_prompt_tokens: Type.Integer({
    minimum: 1,
    description: 'Number of tokens of the request above which these prices apply to all of its tokens.',
  }),
};
const TIERS = 'Prices of requests with long prompts; the highest one that the prompt exceeds applies.';

export const newPricing = closed('NewPricing', {
  model_key: someText('The model, as `provider:model`.'),
  ...prices,
  ...newCachePrices,
  tiers: Type.Optional(
    orNull(
      Type.Array(closed('NewPriceTier', { ...above, ...prices, ...newCachePrices }), { maxItems: MAX_TIERS }),
      `${TIERS} A tier needs each price that the model has. Null for none.`,
    ),
  ),
  effective_at: Type.Optional(
    orNull(moment(), 'From when on; now unless said otherwise. A time without a zone is in UTC.'),
  ),
});

export const pricing = closed('Pricing', {
  model_key: Type.String(),
  ...prices,
  ...cachePrices,
  tiers: Type.Array(closed('PriceTier', { ...above, ...prices, ...cachePrices }), { description: TIERS }),
  effective_at: time('From when on it holds.'),
});

export const pricings = Type.Array(pricing);
