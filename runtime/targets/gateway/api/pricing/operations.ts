import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { pageOfList } from '../http/lists.ts';
import { newPricing, pricing, pricings } from './schemas.ts';
import { KEY_ERRORS, noContent, requiresRole } from '../http/operations.ts';

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

const set: Operation = {
  method: 'post',
  path: '/v1/pricing',
  id: 'setPricing',
  tag: 'Pricing',
  summary: 'Set the price of a model.',
  description: requiresRole(
    'admin',
    'Earlier prices stay in the history. Each request is billed at the price valid at its time.',
  ),
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
  errors: [...BODY_ERRORS, ...KEY_ERRORS],
};

const list: Operation = {
  path: '/v1/pricing',
  id: 'listPricing',
  tag: 'Pricing',
  summary: 'List current prices by model.',
  ...pageOfList({ schema: pricings, example: [PRICE] }),
};

const history: Operation = {
  method: 'get',
  path: '/v1/pricing/{model_key}/history',
  id: 'getPricingHistory',
  tag: 'Pricing',
  summary: 'List past, current and future prices of a model, newest first.',
  parameters: [MODEL_KEY],
  answer: answerOf('The prices.', pricings, [PRICE]),
  errors: KEY_ERRORS,
};

const get: Operation = {
  method: 'get',
  path: '/v1/pricing/{model_key}',
  id: 'getPricing',
  tag: 'Pricing',
  summary: 'Get the current price of a model.',
  parameters: [MODEL_KEY],
  answer: answerOf('The price.', pricing, PRICE),
  errors: KEY_ERRORS,
};

const remove: Operation = {
  method: 'delete',
  path: '/v1/pricing/{model_key}',
  id: 'deletePricing',
  tag: 'Pricing',
  summary: 'Delete all prices of a model.',
  description: requiresRole('admin', 'Costs that are already recorded do not change.'),
  parameters: [MODEL_KEY],
  answer: noContent('The prices are deleted.'),
  errors: KEY_ERRORS,
};

export const PRICING_OPERATIONS: readonly Operation[] = [set, list, history, get, remove];
