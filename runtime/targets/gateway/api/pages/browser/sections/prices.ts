import type { Static } from 'typebox';
import type { pricing } from '#gateway/api/pricing.ts';
import { element, scrollable } from '#serve/http/pages/browser/dom.ts';
import { dateTime, money } from '#serve/http/pages/browser/format.ts';
import { resourcePages } from '../parts/resource.ts';
import { table } from '#serve/http/pages/browser/components/facts.ts';

type Price = Static<typeof pricing>;

export const PRICES = resourcePages<Price>({
  path: 'pricing',
  name: 'Prices',
  noun: 'price',
  id: 'model_key',
  newSchema: 'NewPricing',
  columns: [
    { key: 'model_key', title: 'Model' },
    {
      key: 'input_price_per_million',
      title: 'Input',
      numeric: true,
      cell: (row) => money(row.input_price_per_million),
    },
    {
      key: 'cached_input_price_per_million',
      title: 'Cached input',
      numeric: true,
      cell: (row) => money(row.cached_input_price_per_million),
    },
    {
      key: 'output_price_per_million',
      title: 'Output',
      numeric: true,
      cell: (row) => money(row.output_price_per_million),
    },
    { key: 'effective_at', title: 'Since', cell: (row) => dateTime(row.effective_at) },
  ],
  empty: 'No custom prices. The price map applies to all models.',
  deletion: 'All custom prices of the model are deleted, and the price map applies again.',
  intro:
    'Prices per million tokens set here take precedence over the price map. A new price replaces the model’s old price from its start time.',
  async more({ item, session, signal }) {
    const url = `v1/pricing/${encodeURIComponent(item.model_key)}/history`;
    const { data } = await session.call<readonly Price[]>(url, { signal });
    return [
      element('h2', {}, 'History'),
      scrollable(
        'History',
        table(
          'History',
          ['Since', 'Input', 'Output'],
          data.map((one) => [
            dateTime(one.effective_at),
            money(one.input_price_per_million),
            money(one.output_price_per_million),
          ]),
          'data',
        ),
      ),
    ];
  },
});
