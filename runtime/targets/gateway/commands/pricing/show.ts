import { AppError } from '#contract/errors.ts';
import { printJson, printLines } from '#serve/cli/print.ts';
import { exactly } from '#serve/cli/positionals.ts';
import type { Price } from '../../accounts/ledger/ledger.ts';
import { modelKeyOf } from '../../accounts/ledger/model-key.ts';
import type { ListedPrice } from '../../accounts/price-map/price-map.ts';
import { listedView, pricingView } from '../../api/views/models.ts';
import { parseModel } from '../../shared/model-string.ts';
import { type StoreContext, storeCommand } from '../store/store-command.ts';
import { listedTable } from './show-listed.ts';
import { showPrice } from './show-price.ts';

export const showPriceCommand = storeCommand({
  summary: 'Show the price that applies to a model: the one that you have set, or the published one.',
  positionals: '<provider:model>',
  options: {},
  prepare(invocation) {
    const [model] = exactly(invocation, '<provider:model>');
    const modelKey = modelKeyOf(model);
    return async (context) => {
      const own = await ownPrice(context, modelKey);
      if (own) return showOwn(own, context);
      const listed = await listedPrice(context, modelKey);
      if (listed) return await showListed(listed, context);
      throw new AppError(
        'NotFoundError',
        `There is no price for ${JSON.stringify(modelKey)}. Set one with \`gateway pricing set\`, or find published ones with \`gateway pricing search\`.`,
      );
    };
  },
});

async function ownPrice({ state: { prices } }: StoreContext, modelKey: string): Promise<Price | undefined> {
  try {
    return await prices.get(modelKey);
  } catch (error) {
    if (error instanceof AppError && error.code === 'NotFoundError') return undefined;
    throw error;
  }
}

/** A provider that is not configured is looked up by its name. */
async function listedPrice(
  { state, models }: StoreContext,
  modelKey: string,
): Promise<ListedPrice | undefined> {
  const name = parseModel(modelKey);
  if (!name) return undefined;
  const provider = models?.providers.find((one) => one.name === name.provider);
  const listedAs = provider && !('path' in provider) ? provider.listedAs : name.provider;
  return listedAs === undefined ? undefined : await state.priceMaps.find(listedAs, name.model);
}

function showOwn(price: Price, context: StoreContext): void {
  const { output, json } = context;
  if (json) printJson(output, { priced_by: 'own', ...pricingView(price) });
  else showPrice(price, context);
}

async function showListed(listed: ListedPrice, { state, output, json }: StoreContext): Promise<void> {
  const { date, source } = await state.priceMaps.current();
  if (json) printJson(output, { priced_by: `map ${date} ${listed.name}`, source, ...listedView(listed) });
  else printLines(output, [...listedTable([listed]), `Published price of ${date}, from ${source}.`]);
}
