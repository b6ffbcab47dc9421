import { AppError } from '../../../../contract/errors.ts';
import { didYouMean } from '../../../../core/text/suggest.ts';
import type { Prices } from '../../accounts/ledger/ledger.ts';
import { everyPage } from '../../store/every-page.ts';

/** Says which model was meant where there is no price of that name. */
export async function withSuggestion<Result>(
  prices: Prices,
  modelKey: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'NotFoundError') throw error;
    const known = (await everyPage(prices)).map((price) => price.modelKey);
    const meant = didYouMean(modelKey, known);
    throw new AppError(
      'NotFoundError',
      `There is no price of ${JSON.stringify(modelKey)}${meant}${meant === '' ? '; ' : ' '}\`gateway pricing list\` shows all.`,
      { cause: error },
    );
  }
}
