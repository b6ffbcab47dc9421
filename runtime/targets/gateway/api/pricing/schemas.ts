import { Type } from 'typebox';
import { closed, orNull } from '#serve/http/schemas.ts';
import { MAX_TIERS } from '../../accounts/ledger/price-fields.ts';
import type { UnitField } from '../../accounts/ledger/price-units.ts';
import { dollars, moment, nonEmptyText, time } from '../http/fields.ts';

const prices = {
  input_price_per_million: dollars('Price of input tokens, in US dollars per million.'),
  output_price_per_million: dollars('Price of output tokens, in US dollars per million.'),
};
const cachePrices = {
  cached_input_price_per_million: orNull(
    dollars(),
    'Price of input tokens read from the provider’s cache; null: the input price.',
  ),
  cache_write_price_per_million: orNull(
    dollars(),
    'Price of input tokens written to the provider’s cache; null: the input price.',
  ),
  cache_write_1h_price_per_million: orNull(
    dollars(),
    'Price of input tokens written to the provider’s cache for 1 hour; null: the price of other cache writes.',
  ),
};
const newCachePrices = {
  cached_input_price_per_million: Type.Optional(cachePrices.cached_input_price_per_million),
  cache_write_price_per_million: Type.Optional(cachePrices.cache_write_price_per_million),
  cache_write_1h_price_per_million: Type.Optional(cachePrices.cache_write_1h_price_per_million),
};
const unitPrices = {
  web_search_price: Type.Optional(orNull(dollars(), 'Price of a web search of the provider; null: none.')),
  searched_request_price: Type.Optional(
    orNull(dollars(), 'Price of a request for which the provider searches the web; null: none.'),
  ),
  image_price: Type.Optional(orNull(dollars(), 'Price of a generated image; null: none.')),
  query_price: Type.Optional(orNull(dollars(), 'Price of a search unit of a reranker; null: none.')),
  image_input_price_per_million: Type.Optional(
    orNull(dollars(), 'Price of input tokens that are images; null: the input price.'),
  ),
  image_output_price_per_million: Type.Optional(
    orNull(dollars(), 'Price of output tokens that are images; null: the output price.'),
  ),
} satisfies Readonly<Record<UnitField, unknown>>;
const above = {
  above_prompt_tokens: Type.Integer({
    minimum: 1,
    description: 'Number of input tokens above which these prices apply to all tokens of the request.',
  }),
};
const TIERS = 'Prices of requests with long prompts. The highest tier that the prompt exceeds applies.';

export const newPricing = closed('NewPricing', {
  model_key: nonEmptyText('The model, `provider:model`.'),
  ...prices,
  ...newCachePrices,
  ...unitPrices,
  tiers: Type.Optional(
    orNull(
      Type.Array(closed('NewPriceTier', { ...above, ...prices, ...newCachePrices }), { maxItems: MAX_TIERS }),
      `${TIERS} A tier must have each price that the model has. Null: no tiers.`,
    ),
  ),
  effective_at: Type.Optional(
    orNull(moment(), 'When the price starts to apply (default: now). A time without a zone is in UTC.'),
  ),
});

export const pricing = closed('Pricing', {
  model_key: Type.String(),
  ...prices,
  ...cachePrices,
  ...unitPrices,
  tiers: Type.Array(closed('PriceTier', { ...above, ...prices, ...cachePrices }), { description: TIERS }),
  effective_at: time('When the price starts to apply.'),
});

export const pricings = Type.Array(pricing);
