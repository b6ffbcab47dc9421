import { answerOf } from '#serve/http/openapi/describe.ts';
import type { Operation } from '#serve/http/openapi/operation.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import { noContent, requiresRole, STORE_ERRORS } from '../http/operations.ts';
import { pageOfList } from '../http/lists.ts';
import { matchedPrice, newPriceMap, priceMap, updatedPriceMap } from './schemas.ts';

const HEAD = { date: '2026-11-26', source: 'litellm 1.110.2 (PyPI)', models: 2211 };
const LISTED = { model: 'openai:gpt-5', input: 1.25, output: 10, cached_input: 0.125, web_search: 0.01 };

const show: Operation = {
  path: '/v1/price-map',
  id: 'getPriceMap',
  tag: 'Pricing',
  summary: 'Search published prices, which apply to models without a price of their own.',
  description: requiresRole('viewer'),
  ...pageOfList({
    schema: priceMap,
    example: { ...HEAD, prices: [LISTED] },
    parameters: [
      {
        name: 'search',
        in: 'query',
        description: 'Only entries whose name contains this text.',
        example: 'gpt-5',
      },
    ],
    errors: STORE_ERRORS,
  }),
};

const match: Operation = {
  method: 'get',
  path: '/v1/price-map/{model}',
  id: 'getPublishedPrice',
  tag: 'Pricing',
  summary: 'Get the published price of a model, matched as for requests.',
  description: requiresRole(
    'viewer',
    'Snapshots and other spellings of a name find the entry of their model.',
  ),
  parameters: [{ name: 'model', description: 'The model, `provider:model`.', example: 'openai:GPT-5' }],
  answer: answerOf('The price.', matchedPrice, { priced_by: 'map 2026-11-26 openai:gpt-5', price: LISTED }),
  errors: [404, ...STORE_ERRORS],
};

const update: Operation = {
  method: 'put',
  path: '/v1/price-map',
  id: 'updatePriceMap',
  tag: 'Pricing',
  summary: 'Replace the map of published prices with a newer one.',
  description: requiresRole(
    'admin',
    'The map is replaced as a whole, or not at all if it is not valid. Prices that were set, and recorded costs, do not change.',
  ),
  parameters: [
    {
      name: 'source',
      in: 'query',
      description: 'Where a map of LiteLLM is from; maps of the gateway contain it.',
      example: 'litellm 1.110.2 (PyPI)',
    },
  ],
  request: {
    schema: newPriceMap,
    examples: {
      map: {
        format: 'encoderfile-prices-1',
        date: '2027-01-31',
        source: 'our contract',
        models: { openai: { 'gpt-5': { input: 1, output: 8 } } },
      },
    },
  },
  answer: answerOf('The map in use.', updatedPriceMap, { ...HEAD, added: 1, changed: 20, removed: 0 }),
  errors: [...BODY_ERRORS, ...STORE_ERRORS],
};

const reset: Operation = {
  method: 'delete',
  path: '/v1/price-map',
  id: 'resetPriceMap',
  tag: 'Pricing',
  summary: 'Remove the stored map, so that the one of the program applies.',
  description: requiresRole('admin'),
  answer: noContent('The map of the program applies.'),
  errors: STORE_ERRORS,
};

export const PRICE_MAP_OPERATIONS: readonly Operation[] = [show, match, update, reset];
