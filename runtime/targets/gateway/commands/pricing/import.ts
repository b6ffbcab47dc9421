import { AppError } from '../../../../contract/errors.ts';
import { exactly } from '../../../../serve/cli/positionals.ts';
import { readInput } from '../../../../serve/cli/read-input.ts';
import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';

/** `pricing import`: all of a file, or nothing of it. */
export const importPricesCommand = storeCommand({
  summary: 'Set the prices that a file of CSV or JSON names; - for standard input. All of them, or none.',
  positionals: '<file>',
  options: {},
  prepare(invocation) {
    const [file] = exactly(invocation, '<file>');
    return async ({ state, output, json }) => {
      const prices = await readPrices(file);
      await state.prices.setAll(prices);
      const models = new Set(prices.map(({ modelKey }) => modelKey)).size;
      const [count, of] = [counted(prices.length, 'price'), counted(models, 'model')];
      printResult({ output, json }, { prices: prices.length, models }, `Set ${count} of ${of}.`);
    };
  },
});

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

async function readPrices(file: string): Promise<NewPrice[]> {
  const text = await readInput(file, 'the prices');
  // Other commands start sooner without the CSV parser.
  const [{ readPriceRecords }, { readPrice }] = await Promise.all([
    import('./price-records.ts'),
    import('./read-price.ts'),
  ]);
  const problems: string[] = [];
  const shown = file === '-' ? 'Standard input' : file;
  const prices = readPriceRecords(text, shown).map((record) =>
    readPrice(record, (problem) => problems.push(problem)),
  );
  if (prices.length === 0) problems.push(`${shown} holds no prices.`);
  if (problems.length === 0) return prices;
  throw new AppError('InputError', sentencesOf(problems), {
    details: problems.map((message) => ({ message })),
  });
}

/** Nobody reads more at once. */
const MOST_TOLD = 20;

function sentencesOf(problems: readonly string[]): string {
  if (problems.length === 1) return problems.join('');
  const more = problems.length > MOST_TOLD ? [`… and ${problems.length - MOST_TOLD} more.`] : [];
  const lines = [...problems.slice(0, MOST_TOLD), ...more].map((line) => `\n  ${line}`);
  return `There are ${problems.length} problems; no price was changed.${lines.join('')}`;
}
