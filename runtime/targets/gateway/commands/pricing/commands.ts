import type { CommandGroup } from '#serve/cli/command.ts';
import { deletePriceCommand } from './delete.ts';
import { priceHistoryCommand } from './history.ts';
import { importPricesCommand } from './import.ts';
import { listPricesCommand } from './list.ts';
import { searchPricesCommand } from './search.ts';
import { setPriceCommand } from './set.ts';
import { showPriceCommand } from './show.ts';
import { updatePricesCommand } from './update.ts';

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
