import { Type, type Static } from 'typebox';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import type { Route } from '#serve/http/route.ts';
import { closed, orNull } from '#serve/http/schemas.ts';
import type { NewPrice } from '../accounts/ledger/ledger.ts';
import { findModelKey, modelKeyOf } from '../accounts/ledger/model-key.ts';
import { MAX_TIERS, type RateField, readRates, TIER_FIELD } from '../accounts/ledger/price-fields.ts';
import { type UnitField, readUnits } from '../accounts/ledger/price-units.ts';
import type { GatewayContext } from '../context.ts';
import type { TokenRates } from '../shared/price.ts';
import { dollars, moment, nonEmptyText, time } from './http/fields.ts';
import { pageOfList, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { millisecondsOrNull, nanosIn, nanosOrNull } from './http/values.ts';
import { pricingView } from './views/models.ts';

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
  web_search_price: Type.Optional(orNull(dollars(), 'Price per web search by the provider; null: none.')),
  searched_request_price: Type.Optional(
    orNull(dollars(), 'Price per request for which the provider searches the web; null: none.'),
  ),
  image_price: Type.Optional(orNull(dollars(), 'Price per generated image; null: none.')),
  query_price: Type.Optional(orNull(dollars(), 'Price per search unit of a reranker; null: none.')),
  image_input_price_per_million: Type.Optional(
    orNull(dollars(), 'Price of image input tokens; null: the input price.'),
  ),
  image_output_price_per_million: Type.Optional(
    orNull(dollars(), 'Price of image output tokens; null: the output price.'),
  ),
} satisfies Readonly<Record<UnitField, unknown>>;
const above = {
  above_prompt_tokens: Type.Integer({
    minimum: 1,
    description: 'Number of input tokens above which these prices apply to all tokens of the request.',
  }),
};
const TIERS = 'Prices of requests with long prompts. The highest tier that the prompt exceeds applies.';

const newPricing = closed('NewPricing', {
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
    orNull(
      moment(),
      'Time from which the price applies (default: now). Times without a time zone are in UTC.',
    ),
  ),
});

export const pricing = closed('Pricing', {
  model_key: Type.String(),
  ...prices,
  ...cachePrices,
  ...unitPrices,
  tiers: Type.Array(closed('PriceTier', { ...above, ...prices, ...cachePrices }), { description: TIERS }),
  effective_at: time('Time from which the price applies.'),
});

const pricings = Type.Array(pricing);

const RATES = {
  input_price_per_million: 3,
  output_price_per_million: 15,
  cached_input_price_per_million: 0.3,
  cache_write_price_per_million: 3.75,
  cache_write_1h_price_per_million: 6,
};

const LONG = {
  above_prompt_tokens: 200_000,
  input_price_per_million: 6,
  output_price_per_million: 22.5,
  cached_input_price_per_million: 0.6,
  cache_write_price_per_million: 7.5,
  cache_write_1h_price_per_million: 12,
};

const PRICE = {
  model_key: 'anthropic:claude-sonnet-4-5',
  ...RATES,
  web_search_price: 0.01,
  tiers: [LONG],
  effective_at: '2026-01-01T00:00:00Z',
};

const MODEL_KEY = {
  name: 'model_key',
  description: 'The model, `provider:model`. In a name that ends in `/history`, write that slash as `%2F`.',
  example: PRICE.model_key,
};

/** `/v1/pricing`: model prices. Model names contain colons and slashes, so the rest of the path is a single name. */
export function pricingRoutes({ state }: GatewayContext, { guards, route }: HttpParts): readonly Route[] {
  const { prices } = state;

  return [
    route({
      method: 'post',
      path: '/v1/pricing',
      guard: guards.admin,
      id: 'setPricing',
      tag: 'Pricing',
      summary: 'Set the price of a model.',
      description:
        'Earlier prices stay in the history. Each request is billed at the price valid at its time.',
      request: {
        schema: newPricing,
        examples: {
          price: {
            model_key: PRICE.model_key,
            ...RATES,
            web_search_price: 0.01,
            tiers: [LONG],
          },
        },
      },
      answer: answerOf('The price.', pricing, PRICE),
      run: async (_c, body) => pricingView(await prices.set(priceIn(body))),
    }),
    route({
      method: 'get',
      path: '/v1/pricing',
      guard: guards.anyKey,
      id: 'listPricing',
      tag: 'Pricing',
      summary: 'List current prices by model.',
      ...pageOfList({ schema: pricings, example: [PRICE] }),
      run: async (c) => (await prices.list(pageOf(c))).map((price) => pricingView(price)),
    }),
    route({
      method: 'get',
      path: '/v1/pricing/:model{.+}/history',
      guard: guards.anyKey,
      id: 'getPricingHistory',
      tag: 'Pricing',
      summary: 'List past, current and future prices of a model, newest first.',
      parameters: [MODEL_KEY],
      answer: answerOf('The prices.', pricings, [PRICE]),
      run: async (c) => {
        const history = await prices.history(findModelKey(c.req.param('model')));
        return history.map((price) => pricingView(price));
      },
    }),
    route({
      method: 'get',
      path: '/v1/pricing/:model{.+}',
      guard: guards.anyKey,
      id: 'getPricing',
      tag: 'Pricing',
      summary: 'Get the current price of a model.',
      parameters: [MODEL_KEY],
      answer: answerOf('The price.', pricing, PRICE),
      run: async (c) => pricingView(await prices.get(findModelKey(c.req.param('model')))),
    }),
    route({
      method: 'delete',
      path: '/v1/pricing/:model{.+}',
      guard: guards.admin,
      id: 'deletePricing',
      tag: 'Pricing',
      summary: 'Delete all prices of a model.',
      description: 'Recorded costs do not change.',
      parameters: [MODEL_KEY],
      answer: noContent('The prices are deleted.'),
      run: async (c) => {
        await prices.delete(findModelKey(c.req.param('model')));
      },
    }),
  ];
}

const priceIn = (body: Static<typeof newPricing>): NewPrice => ({
  modelKey: modelKeyOf(body.model_key),
  ...ratesIn(body),
  units: readUnits((field) => nanosOrNull(field, body[field])),
  tiers: (body.tiers ?? []).map((tier) => ({ aboveTokens: tier[TIER_FIELD], ...ratesIn(tier) })),
  effectiveAt: millisecondsOrNull('effective_at', body.effective_at) ?? undefined,
});

const ratesIn = (members: Readonly<Partial<Record<RateField, number | null>>>): TokenRates =>
  readRates(
    (field) => nanosIn(field, members[field] ?? 0),
    (field) => nanosOrNull(field, members[field]) ?? null,
  );
