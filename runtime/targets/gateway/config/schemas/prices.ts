import { type Static, Type } from 'typebox';
import { dollars, keys, text } from './shapes.ts';

export const price = keys(
  {
    input_price_per_million: dollars('Dollars for a million tokens of input.'),
    output_price_per_million: dollars('Dollars for a million tokens of output.'),
    cached_input_price_per_million: Type.Optional(
      dollars("Of input that was in the provider's cache; as other input unless set."),
    ),
    effective_at: text('From when on, as 2026-01-31 or 2026-01-31T08:00:00Z; from now on unless set.'),
  },
  'What a model costs. Only counts for models without a price in the database.',
);

export type PriceEntry = Static<typeof price>;
