import { UsageError } from '#serve/cli/command.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { listedView } from '../../api/views/models.ts';
import { storeCommand } from '../store/store-command.ts';
import { listedTable } from './show-listed.ts';

export const searchPricesCommand = storeCommand({
  summary: 'List published prices, of all models or of those whose name contains a text.',
  positionals: '[text]',
  options: {},
  prepare({ positionals }) {
    const [text = '', extra] = positionals;
    if (extra !== undefined) throw new UsageError(`Unexpected argument ${JSON.stringify(extra)}.`);
    return async ({ state: { priceMaps }, output, json }) => {
      const map = await priceMaps.current();
      const found = map.search(text);
      if (json) printJson(output, found.map(listedView));
      else if (found.length === 0)
        output.err(`No published price has ${JSON.stringify(text)} in its name.\n`);
      else printLines(output, [...listedTable(found), `Prices of ${map.date}, from ${map.source}.`]);
    };
  },
});
