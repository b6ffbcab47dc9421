import { exactly } from '#serve/cli/positionals.ts';
import { modelKeyOf } from '../../accounts/ledger/model-key.ts';
import { storeCommand } from '../store/store-command.ts';
import { effectiveOf, PRICE_OPTIONS, priceOf } from './price-options.ts';
import { showPrice } from './show-price.ts';

export const setPriceCommand = storeCommand({
  summary: 'Set the price of a model, effective now or at a given time. Earlier prices stay in the history.',
  positionals: '<provider:model>',
  options: PRICE_OPTIONS,
  prepare(invocation) {
    const [model] = exactly(invocation, '<provider:model>');
    const price = {
      modelKey: modelKeyOf(model),
      ...priceOf(invocation),
      effectiveAt: effectiveOf(invocation),
    };
    return async ({ state, output, json }) => showPrice(await state.prices.set(price), { output, json });
  },
});
