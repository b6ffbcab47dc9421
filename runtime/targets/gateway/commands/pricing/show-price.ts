import { printJson, printLines } from '../../../../serve/cli/print.ts';
import { formatTable } from '../../../../serve/cli/table.ts';
import { stdoutTerminal } from '../../../../serve/cli/terminal.ts';
import { pricingView } from '../../http/views/pricing-view.ts';
import type { Price } from '../../ledger/api.ts';
import { dollars, moment } from '../show/texts.ts';
import type { StoreContext } from '../store/store-command.ts';

type Shown = Pick<StoreContext, 'output' | 'json'>;

export function showPrice(price: Price, { output, json }: Shown): void {
  if (json) printJson(output, pricingView(price));
  else printLines(output, tableOf([price]));
}

export function showPrices(prices: readonly Price[], { output, json }: Shown): void {
  if (json) printJson(output, prices.map(pricingView));
  else printLines(output, tableOf(prices));
}

const tableOf = (prices: readonly Price[]): string[] =>
  formatTable(COLUMNS, prices.map(rowOf), stdoutTerminal());

/** Of a million tokens. */
const COLUMNS = ['MODEL', 'INPUT PER 1M', 'CACHED INPUT', 'OUTPUT PER 1M', 'SINCE'];

const rowOf = (price: Price): string[] => [
  price.modelKey,
  dollars(price.input),
  price.cachedInput === null ? '-' : dollars(price.cachedInput),
  dollars(price.output),
  moment(price.effectiveAt),
];
