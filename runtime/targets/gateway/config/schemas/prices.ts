import { type Static, Type } from 'typebox';
import { computed, dollarsSetting, keys, textSetting } from './shapes.ts';

const rates = {
  input_price_per_million: dollarsSetting('Price per million input tokens, in dollars.'),
  output_price_per_million: dollarsSetting('Price per million output tokens, in dollars.'),
  cached_input_price_per_million: Type.Optional(
    dollarsSetting("Price of input tokens read from the provider's cache.", computed('the input price')),
  ),
  cache_write_price_per_million: Type.Optional(
    dollarsSetting("Price of input tokens written to the provider's cache.", computed('the input price')),
  ),
  cache_write_1h_price_per_million: Type.Optional(
    dollarsSetting(
      "Price of input tokens written to the provider's cache for 1 hour.",
      computed('the price of other cache writes'),
    ),
  ),
};

const tier = keys(
  {
    above_prompt_tokens: Type.Integer({
      minimum: 1,
      description: 'Number of prompt tokens above which these prices apply to the whole request.',
    }),
    ...rates,
  },
  'Prices of requests with longer prompts.',
);

const units = {
  web_search_price: Type.Optional(dollarsSetting('Price per web search by the provider.', computed('none'))),
  searched_request_price: Type.Optional(
    dollarsSetting(
      'Price per request for which the provider searches the web, regardless of how often.',
      computed('none'),
    ),
  ),
  image_price: Type.Optional(dollarsSetting('Price per generated image.', computed('none'))),
  query_price: Type.Optional(dollarsSetting('Price per search unit of a reranker.', computed('none'))),
  image_input_price_per_million: Type.Optional(
    dollarsSetting('Price of image input tokens.', computed('the input price')),
  ),
  image_output_price_per_million: Type.Optional(
    dollarsSetting('Price of image output tokens.', computed('the output price')),
  ),
};

export const price = keys(
  {
    ...rates,
    ...units,
    tiers: Type.Optional(
      Type.Array(tier, {
        description: 'Prices by prompt length. A tier must have each price that the model has.',
      }),
    ),
    effective_at: textSetting(
      'Time from which the price applies, e.g. 2026-01-31 or 2026-01-31T08:00:00Z.',
      computed('now'),
    ),
  },
  'Price of a model. Used only if the database has no price for it.',
);

export type PriceEntry = Static<typeof price>;
