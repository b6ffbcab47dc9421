import { UsageError } from '#serve/cli/command.ts';
import { exactly } from '#serve/cli/positionals.ts';
import { changesBetween } from '../../accounts/price-map/map-changes.ts';
import { printResult } from '../show/print-result.ts';
import { storeCommand } from '../store/store-command.ts';
import { readMapSource } from './read-map-source.ts';

/** The map that LiteLLM publishes and keeps current. */
const DEFAULT_SOURCE =
  'https://raw.githubusercontent.com/BerriAI/litellm/main/model_prices_and_context_window.json';

/** `pricing update` replaces the price map as a whole, or not at all if it is not valid. */
export const updatePricesCommand = storeCommand({
  summary:
    'Replace the map of published prices with a newer one. Prices that you have set, and recorded costs, do not change.',
  options: {
    from: {
      value: 'file or url',
      help: 'A map of the gateway or of LiteLLM; - for standard input',
      defaultText: 'the map that LiteLLM publishes on GitHub',
    },
    bundled: { help: 'Remove the stored map, so that the one of this program applies' },
  },
  prepare(invocation) {
    exactly(invocation);
    const from = invocation.value('from');
    const bundled = invocation.flag('bundled');
    if (bundled && from !== undefined) throw new UsageError('--bundled and --from exclude each other.');
    return async ({ state: { priceMaps }, output, json }) => {
      const before = await priceMaps.current();
      if (bundled) await priceMaps.reset();
      else await priceMaps.store(await readMap(from ?? DEFAULT_SOURCE));
      const now = await priceMaps.current();
      const { date, source, size } = now;
      const changes = changesBetween(before, now);
      const { added, changed, removed } = changes;
      printResult(
        { output, json },
        { date, source, models: size, ...changes },
        `Using prices of ${date} for ${size} models: ${added} new, ${changed} changed, ${removed} removed. Source: ${source}.`,
      );
    };
  },
});

async function readMap(from: string) {
  const text = await readMapSource(from);
  // The validator is imported here, because other commands start faster without it.
  const { readPriceMap } = await import('../../accounts/price-map/read-map.ts');
  return readPriceMap(text, from === '-' ? 'standard input' : from, new Date().toISOString().slice(0, 10));
}
