import { configError, messageOf, AppError } from '#contract/errors.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { readInput } from '#serve/cli/read-input.ts';
import type { NewPrice } from '../../accounts/ledger/ledger.ts';
import { printResult } from '../show/format-values.ts';
import { storeCommand } from '../store/store-command.ts';

/** LiteLLM's price map is several megabytes in size. */
const MAX_BYTES = 64 * 1024 * 1024;
const TIMEOUT_MS = 30_000;
const MAX_REDIRECTS = 5;

/** Reads a file, standard input (-) or an http(s) URL. */
export async function readMapSource(from: string): Promise<string> {
  return /^https?:\/\//i.test(from) ? await download(from) : await readInput(from, 'the price map');
}

async function download(from: string): Promise<string> {
  const url = parseUrl(from);
  const { createJsonClient } = await import('#serve/client/json-client.ts');
  const client = createJsonClient(url.origin, {
    connectMs: TIMEOUT_MS,
    answerMs: TIMEOUT_MS,
    maxResponseBytes: MAX_BYTES,
    maxRedirects: MAX_REDIRECTS,
  });
  try {
    const { status, text } = await client.ask({ method: 'GET', path: url.pathname + url.search });
    if (status === 200) return text;
    throw configError(`Cannot read the price map: ${from} returned status ${status}. Check the address.`);
  } catch (error) {
    throw configError(
      `Cannot read the price map from ${from}: ${messageOf(error)}. Check the address, or pass a file.`,
      error,
    );
  } finally {
    await client.close();
  }
}

function parseUrl(from: string): URL {
  try {
    return new URL(from);
  } catch (error) {
    throw configError(`${from} is not a valid URL. Pass a URL such as https://host/prices.json.`, error);
  }
}

/** `pricing import` sets all prices in a file, or none if any is invalid. */
export const importPricesCommand = storeCommand({
  summary:
    'Import prices from a CSV or JSON file, or from standard input (-). If the file contains an error, no prices are changed.',
  positionals: '<file>',
  options: {},
  prepare(invocation) {
    const [file] = exactly(invocation, '<file>');
    return async ({ state, output, json }) => {
      const prices = await readPrices(file);
      await state.prices.setAll(prices);
      const models = new Set(prices.map(({ modelKey }) => modelKey)).size;
      const [count, owners] = [counted(prices.length, 'price'), counted(models, 'model')];
      printResult({ output, json }, { prices: prices.length, models }, `Set ${count} of ${owners}.`);
    };
  },
});

const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`;

async function readPrices(file: string): Promise<NewPrice[]> {
  const text = await readInput(file, 'the prices');
  // The CSV parser is imported here so that other commands start faster.
  const [{ readPriceRecords }, { readPrice }] = await Promise.all([
    import('./price-records.ts'),
    import('./read-price.ts'),
  ]);
  const problems: string[] = [];
  const shown = file === '-' ? 'Standard input' : file;
  const prices = readPriceRecords(text, shown).map((record) =>
    readPrice(record, (problem) => problems.push(problem)),
  );
  if (prices.length === 0) problems.push(`${shown} contains no prices.`);
  if (problems.length === 0) return prices;
  throw new AppError('InputError', summaryOf(problems), {
    details: problems.map((message) => ({ message })),
  });
}

/** Maximum number of problems to print, because a longer list would hide the summary. */
const MAX_SHOWN = 20;

function summaryOf(problems: readonly string[]): string {
  if (problems.length === 1) return problems.join('');
  const more = problems.length > MAX_SHOWN ? [`… and ${problems.length - MAX_SHOWN} more.`] : [];
  const lines = [...problems.slice(0, MAX_SHOWN), ...more].map((line) => `\n  ${line}`);
  return `${problems.length} problems; no prices were changed.${lines.join('')}`;
}
