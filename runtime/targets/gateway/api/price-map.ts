import { Type } from 'typebox';
import { readJsonBytes, readBytes } from '#serve/http/body.ts';
import { answerOf, noContent } from '#serve/http/openapi/describe.ts';
import { BODY_ERRORS } from '#serve/http/openapi/statuses.ts';
import type { Route } from '#serve/http/route.ts';
import { anyObject, closed } from '#serve/http/schemas.ts';
import { notFound } from '../accounts/identity/checks.ts';
import { EXTRA_RATES } from '../accounts/price-map/listed-model.ts';
import { changesBetween } from '../accounts/price-map/map-changes.ts';
import type { GatewayContext } from '../context.ts';
import { parseModel } from '../shared/model-string.ts';
import { type GatewayAppOptions, modelBodyOptions } from './app-options.ts';
import { count } from './http/fields.ts';
import { pageOfList, pageOf } from './http/lists.ts';
import type { HttpParts } from './http/parts.ts';
import { listedView, mapHead } from './views/models.ts';

const amounts = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, Type.Optional(Type.Number({ minimum: 0 }))]));
const RATES = amounts(['input', 'output', 'cached_input', 'cache_write', 'cache_write_1h']);

const listedPrice = closed(
  'PublishedPrice',
  {
    model: Type.String({ description: 'Name of the entry, `provider:model`.' }),
    ...RATES,
    ...amounts(EXTRA_RATES),
    tiers: Type.Optional(
      Type.Array(closed('PublishedTier', { above: Type.Integer({ minimum: 1 }), ...RATES })),
    ),
    batch: Type.Optional(closed('PublishedBatchPrice', RATES)),
  },
  'Prices in US dollars: per million tokens, or per unit for everything else.',
);

const head = {
  date: Type.String({ description: 'Date of the prices, e.g. 2026-01-31.' }),
  source: Type.String({ description: 'Source of the prices.' }),
  models: count('Number of entries.'),
};

const priceMap = closed('PriceMap', { ...head, prices: Type.Array(listedPrice) });

const updatedPriceMap = closed('UpdatedPriceMap', {
  ...head,
  added: count('Entries that are new in this map.'),
  changed: count('Entries with changed prices.'),
  removed: count('Entries that were removed.'),
});

const matchedPrice = closed('MatchedPrice', {
  priced_by: Type.String({ description: 'Date and entry of the price map, as in usage rows.' }),
  price: listedPrice,
});

const newPriceMap = anyObject('A map in the gateway’s format (encoderfile-prices-1) or in LiteLLM’s.');

const HEAD = { date: '2026-11-26', source: 'litellm 1.110.2 (PyPI)', models: 2211 };
const LISTED = { model: 'openai:gpt-5', input: 1.25, output: 10, cached_input: 0.125, web_search: 0.01 };

/** `/v1/price-map`: published prices. */
export function priceMapRoutes(
  { state: { priceMaps }, clock }: GatewayContext,
  { guards, route }: HttpParts,
  options: GatewayAppOptions,
): readonly Route[] {
  const limits = modelBodyOptions(options);

  return [
    route({
      method: 'get',
      path: '/v1/price-map',
      guard: guards.reader,
      id: 'getPriceMap',
      tag: 'Pricing',
      summary: 'Search published prices, which apply to models without a configured price.',
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
      }),
      run: async (c) => {
        const map = await priceMaps.current();
        const { skip, limit } = pageOf(c);
        const found = map.search(c.req.query('search') ?? '').slice(skip, skip + limit);
        return { ...mapHead(map), prices: found.map(listedView) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/price-map/:model{.+}',
      guard: guards.reader,
      id: 'getPublishedPrice',
      tag: 'Pricing',
      summary: 'Get the published price of a model, matched as for requests.',
      description: 'Snapshots and alternative spellings of a name resolve to the model’s entry.',
      parameters: [{ name: 'model', description: 'The model, `provider:model`.', example: 'openai:GPT-5' }],
      answer: answerOf('The price.', matchedPrice, {
        priced_by: 'map 2026-11-26 openai:gpt-5',
        price: LISTED,
      }),
      run: async (c) => {
        const text = c.req.param('model');
        const name = parseModel(text);
        const found = name && (await priceMaps.find(name.provider, name.model));
        if (!found) throw notFound(`There is no published price for model '${text}'`, 'pricing_not_found');
        const { date } = await priceMaps.current();
        return { priced_by: `map ${date} ${found.name}`, price: listedView(found) };
      },
    }),
    route({
      method: 'put',
      path: '/v1/price-map',
      guard: guards.admin,
      id: 'updatePriceMap',
      tag: 'Pricing',
      summary: 'Replace the map of published prices with a newer one.',
      description:
        'The map is replaced completely, or not at all if it is invalid. Custom prices and recorded costs do not change.',
      parameters: [
        {
          name: 'source',
          in: 'query',
          description: 'Source of a LiteLLM map; maps in the gateway’s format already contain it.',
          example: 'litellm 1.110.2 (PyPI)',
        },
      ],
      request: {
        schema: newPriceMap,
        // LiteLLM's map is larger than other bodies.
        isRaw: true,
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
      errors: BODY_ERRORS,
      run: async (c) => {
        const { headers } = c.req.raw;
        // Price maps are several megabytes in size, so they are read in the same way as model requests.
        const bytes = await readJsonBytes(
          { headers, readBody: ({ maxBodyBytes, ...more }) => readBytes(c, maxBodyBytes, more) },
          limits,
        );
        const source = c.req.query('source') || 'the HTTP API';
        // The validator is imported here, because most gateways never need it.
        const { readPriceMap } = await import('../accounts/price-map/read-map.ts');
        const today = new Date(clock.now()).toISOString().slice(0, 10);
        const before = await priceMaps.current();
        await priceMaps.store(readPriceMap(new TextDecoder().decode(bytes), source, today));
        const now = await priceMaps.current();
        return { ...mapHead(now), ...changesBetween(before, now) };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/price-map',
      guard: guards.admin,
      id: 'resetPriceMap',
      tag: 'Pricing',
      summary: 'Remove the stored map, so that the built-in one applies.',
      answer: noContent('The built-in map applies.'),
      run: async () => {
        await priceMaps.reset();
      },
    }),
  ];
}
