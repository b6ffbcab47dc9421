import { Type } from 'typebox';
import { closed, orNull } from '../../../../serve/http/schemas.ts';
import { dollars, moment, someText, time } from './fields.ts';

const prices = {
  input_price_per_million: dollars('Of tokens of the request, in US dollars per million.'),
  output_price_per_million: dollars('Of tokens of the answer.'),
};
const cachedInput = orNull(
  dollars(),
  'Of tokens of the request that the provider still had in its cache; null for the price of all others.',
);

export const newPricing = closed('NewPricing', {
  model_key: someText('The model, as `provider:model`.'),
  ...prices,
  cached_input_price_per_million: Type.Optional(cachedInput),
  effective_at: Type.Optional(
    orNull(moment(), 'From when on; now unless said otherwise. A time without a zone is in UTC.'),
  ),
});

export const pricing = closed('Pricing', {
  model_key: Type.String(),
  ...prices,
  cached_input_price_per_million: cachedInput,
  effective_at: time('From when on it holds.'),
});

export const pricings = Type.Array(pricing);
