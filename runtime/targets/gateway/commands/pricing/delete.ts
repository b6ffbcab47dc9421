import { exactly } from '#serve/cli/positionals.ts';
import { findModelKey } from '../../accounts/ledger/model-key.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { withSuggestion } from './suggest-model.ts';

export const deletePriceCommand = storeCommand({
  summary: 'Delete all prices of a model. Costs that are already recorded do not change.',
  positionals: '<provider:model>',
  options: {},
  prepare(invocation) {
    const [model] = exactly(invocation, '<provider:model>');
    const modelKey = findModelKey(model);
    return async ({ state: { prices }, output, json }) => {
      await withSuggestion(prices, modelKey, async () => await prices.delete(modelKey));
      printResult(
        { output, json },
        { model_key: modelKey, deleted: true },
        `Deleted the prices of ${modelKey}.`,
      );
    };
  },
});
