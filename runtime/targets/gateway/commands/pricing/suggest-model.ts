import { AppError } from '#contract/errors.ts';
import { didYouMean } from '#core/text/suggest.ts';
import type { Prices } from '../../accounts/ledger/ledger.ts';
import { listAll } from '../../store/list-all.ts';

/** Adds a suggestion to the error for a model without a price, because its name may be misspelled. */
export async function withSuggestion<Result>(
  prices: Prices,
  modelKey: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NotFoundError') throw error;
    const known = (await listAll(prices)).map((price) => price.modelKey);
    const hint = didYouMean(modelKey, known);
    throw new AppError(
      'NotFoundError',
      `There is no price for ${JSON.stringify(modelKey)}${hint || '.'} \`gateway pricing list\` shows all prices.`,
      { cause: error },
    );
  }
}
