import { Type } from 'typebox';
import { anyObject, closed } from '#serve/http/schemas.ts';
import { EXTRA_RATES } from '../../accounts/price-map/listed-model.ts';
import { count } from '../http/fields.ts';

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
  'Prices in US dollars: of tokens per million, of everything else per unit.',
);

const head = {
  date: Type.String({ description: 'Day of the prices, e.g. 2026-01-31.' }),
  source: Type.String({ description: 'Where the prices are from.' }),
  models: count('Number of entries.'),
};

export const priceMap = closed('PriceMap', { ...head, prices: Type.Array(listedPrice) });

export const updatedPriceMap = closed('UpdatedPriceMap', {
  ...head,
  added: count('Entries that the map before did not have.'),
  changed: count('Entries with other prices.'),
  removed: count('Entries that the map no longer has.'),
});

export const matchedPrice = closed('MatchedPrice', {
  priced_by: Type.String({ description: 'As in the usage: the date and the entry of the price map.' }),
  price: listedPrice,
});

export const newPriceMap = anyObject('A map of the gateway (format encoderfile-prices-1) or of LiteLLM.');
