import { listAll } from '../../store/list-all.ts';
import { storeCommand } from '../store/store-command.ts';
import { showPrices } from './show-price.ts';

export const listPricesCommand = storeCommand({
  summary: 'List current prices, in dollars per million tokens.',
  options: {},
  prepare:
    () =>
    async ({ state, output, json }) => {
      const prices = await listAll(state.prices);
      if (prices.length === 0 && !json)
        output.err('There are no prices. Set one with `gateway pricing set`.\n');
      else showPrices(prices, { output, json });
    },
});
