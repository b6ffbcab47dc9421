import { exactly } from '#serve/cli/positionals.ts';
import { findModelKey } from '../../accounts/ledger/model-key.ts';
import { storeCommand } from '../store/store-command.ts';
import { withSuggestion } from './suggest-model.ts';
import { showPrices } from './show-price.ts';

export const priceHistoryCommand = storeCommand({
  summary: 'List past, current and future prices of a model, newest first.',
  positionals: '<provider:model>',
  options: {},
  prepare(invocation) {
    const [model] = exactly(invocation, '<provider:model>');
    const modelKey = findModelKey(model);
    return async ({ state: { prices }, output, json }) =>
      showPrices(await withSuggestion(prices, modelKey, async () => await prices.history(modelKey)), {
        output,
        json,
      });
  },
});
