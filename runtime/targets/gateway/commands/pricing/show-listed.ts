import { formatTable } from '#serve/cli/table.ts';
import { stdoutTerminal } from '#serve/cli/terminal.ts';
import { EXTRA_RATES, type ListedModel, type ListedRates } from '../../accounts/price-map/listed-model.ts';
import type { ListedPrice } from '../../accounts/price-map/price-map.ts';
import { nanosOf } from '../../shared/money.ts';
import { formatDollars } from '../show/format-values.ts';

/** Published prices, in dollars per million tokens, with a line for each tier and for batches. */
export function listedTable(prices: readonly ListedPrice[]): string[] {
  const lines = prices.flatMap(({ name, listed }) => [
    { name, rates: listed, others: othersOf(listed) },
    ...(listed.tiers ?? []).map((tier) => ({
      name: `above ${tier.above} tokens`,
      rates: { ...listed, ...tier } as ListedRates,
      others: '',
    })),
    ...(listed.batch ? [{ name: 'in batches', rates: listed.batch, others: '' }] : []),
  ]);
  return formatTable(
    ['MODEL', 'INPUT PER 1M', 'CACHED INPUT', 'CACHE WRITE', 'WRITE 1H', 'OUTPUT PER 1M', 'OTHER'],
    lines.map(({ name, rates, others }) => [
      name,
      ...[rates.input, rates.cached_input, rates.cache_write, rates.cache_write_1h, rates.output].map(
        dollars,
      ),
      others,
    ]),
    stdoutTerminal(),
  );
}

const dollars = (amount: number | undefined): string =>
  amount === undefined ? '-' : formatDollars(nanosOf(amount) ?? 0n);

const othersOf = (listed: ListedModel): string =>
  EXTRA_RATES.flatMap((name) => {
    const amount = listed[name];
    return amount === undefined ? [] : [`${name.replaceAll('_', ' ')} ${dollars(amount)}`];
  }).join(', ');
