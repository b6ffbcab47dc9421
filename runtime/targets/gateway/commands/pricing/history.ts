import { exactly } from '../../../../serve/cli/positionals.ts';
import { findModelKey } from '../../accounts/ledger/model-key.ts';
import { storeCommand } from '../store/store-command.ts';
import { withSuggestion } from './find-model.ts';
import { showPrices } from './show-price.ts';

export const priceHistoryCommand = storeCommand({
  summary: 'List all prices of a model, the newest first, those of the future too.',
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
