import { everyPage } from '../../store/every-page.ts';
import { storeCommand } from '../store/store-command.ts';
import { showPrices } from './show-price.ts';

export const listPricesCommand = storeCommand({
  summary: 'List the prices that hold now, in dollars for a million tokens.',
  options: {},
  prepare:
    () =>
    async ({ state, output, json }) => {
      const prices = await everyPage(state.prices);
      if (prices.length === 0 && !json) output.err('No model has a price. `gateway pricing set` sets one.\n');
      else showPrices(prices, { output, json });
    },
});
