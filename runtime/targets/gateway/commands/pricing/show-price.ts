import { printJson, printLines } from '#serve/cli/print.ts';
import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import type { Nanos } from '../../shared/money.ts';
import { entriesOf } from '#core/values/keys.ts';
import { UNIT_FIELDS } from '../../accounts/ledger/price-units.ts';
import type { UnitRates } from '../../shared/unit-price.ts';
import type { TokenRates } from '../../shared/token-price.ts';
import { pricingView } from '../../api/views/models.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import { formatDollars, formatTime } from '../show/format-values.ts';
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

/** Formats prices per million tokens, with a line for each tier. Columns for cache writes appear only if a price has them. */
function tableOf(prices: readonly Price[]): string[] {
  const lines = prices.flatMap((price) => [
    {
      name: price.modelKey,
      rates: price,
      others: unitsText(price.units),
      since: formatTime(price.effectiveAt),
    },
    ...(price.tiers ?? []).map((tier) => ({
      name: `above ${tier.aboveTokens} tokens`,
      rates: tier,
      others: '',
      since: '',
    })),
  ]);
  const columns = COLUMNS.filter(
    ({ isOptional, rate }) => !isOptional || lines.some(({ rates }) => typeof rates[rate] === 'bigint'),
  );
  const hasOthers = lines.some(({ others }) => others !== '');
  return formatTable(
    ['MODEL', ...columns.map(({ head }) => head), ...(hasOthers ? ['OTHER'] : []), 'SINCE'],
    lines.map(({ name, rates, others, since }) => [
      name,
      ...columns.map(({ rate }) => amountText(rates[rate])),
      ...(hasOthers ? [others] : []),
      since,
    ]),
    stdoutTerminal(),
  );
}

const unitsText = (units: UnitRates = {}): string =>
  entriesOf(UNIT_FIELDS)
    .flatMap(([name, field]) => {
      const amount = units[name];
      const shown = field.replace(/_price(_per_million)?$/, '').replaceAll('_', ' ');
      return amount === undefined ? [] : [`${shown} ${formatDollars(amount)}`];
    })
    .join(', ');

interface Column {
  readonly head: string;
  readonly rate: keyof TokenRates;
  readonly isOptional?: boolean;
}

const COLUMNS: readonly Column[] = [
  { head: 'INPUT PER 1M', rate: 'input' },
  { head: 'CACHED INPUT', rate: 'cachedInput' },
  { head: 'CACHE WRITE', rate: 'cacheWrite', isOptional: true },
  { head: 'WRITE 1H', rate: 'cacheWrite1h', isOptional: true },
  { head: 'OUTPUT PER 1M', rate: 'output' },
];

const amountText = (amount: Nanos | null | undefined): string =>
  amount === null || amount === undefined ? '-' : formatDollars(amount);
