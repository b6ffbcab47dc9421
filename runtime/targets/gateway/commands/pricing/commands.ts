import type { CommandGroup } from '../../../../serve/cli/command.ts';
import { deletePriceCommand } from './delete.ts';
import { priceHistoryCommand } from './history.ts';
import { importPricesCommand } from './import.ts';
import { listPricesCommand } from './list.ts';
import { setPriceCommand } from './set.ts';

export const PRICING_COMMANDS: CommandGroup = {
  summary: 'Manage model prices.',
  commands: {
    set: setPriceCommand,
    list: listPricesCommand,
    history: priceHistoryCommand,
    import: importPricesCommand,
    delete: deletePriceCommand,
  },
};
