import type { CommandGroup } from '#serve/cli/command.ts';
import { importPricesCommand } from './import.ts';
import {
  deletePriceCommand,
  priceHistoryCommand,
  listPricesCommand,
  searchPricesCommand,
  setPriceCommand,
  showPriceCommand,
  updatePricesCommand,
} from './prices.ts';

export const PRICING_COMMANDS: CommandGroup = {
  summary: 'Manage model prices.',
  commands: {
    set: setPriceCommand,
    list: listPricesCommand,
    show: showPriceCommand,
    search: searchPricesCommand,
    update: updatePricesCommand,
    history: priceHistoryCommand,
    import: importPricesCommand,
    delete: deletePriceCommand,
  },
};
