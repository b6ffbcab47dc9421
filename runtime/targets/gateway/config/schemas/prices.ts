import { type Static, Type } from 'typebox';
import { dollars, keys, text } from './shapes.ts';

const rates = {
  input_price_per_million: dollars('Dollars for a million tokens of input.'),
  output_price_per_million: dollars('Dollars for a million tokens of output.'),
  cached_input_price_per_million: Type.Optional(
    dollars("Of input that was in the provider's cache; as other input unless set."),
  ),
  cache_write_price_per_million: Type.Optional(
    dollars("Of input written to the provider's cache; as other input unless set."),
  ),
  cache_write_1h_price_per_million: Type.Optional(
    dollars('Of input written to it for 1 hour; as other cache writes unless set.'),
  ),
};

const tier = keys(
  {
    above_prompt_tokens: Type.Integer({
      minimum: 1,
      description: 'Number of tokens of the prompt above which these prices apply to the whole request.',
    }),
    ...rates,
  },
  'Prices of requests with longer prompts.',
);

export const price = keys(
  {
    ...rates,
    tiers: Type.Optional(
      Type.Array(tier, {
        description: 'Prices by length of the prompt; a tier needs each price that the model has.',
      }),
    ),
    effective_at: text('From when on, as 2026-01-31 or 2026-01-31T08:00:00Z; from now on unless set.'),
  },
  'What a model costs. Only counts for models without a price in the database.',
);

export type PriceEntry = Static<typeof price>;
