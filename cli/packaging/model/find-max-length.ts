import { AppError, configError } from '#contract/errors.ts';
import { firstLine } from './graph-error.ts';

export interface LengthTrial {
  /**
   * Runs one batch of token ids. Rejects if the model cannot run the batch, and with an AppError if
   * the build must stop.
   */
  readonly run: (ids: readonly (readonly number[])[]) => Promise<unknown>;
  /** Token ids of a short text. */
  readonly sample: readonly number[];
  /** Maximum number of tokens that the model's files or the user allow. */
  readonly maxLength: number;
  readonly padId: number;
  /** Whether the user chose `maxLength`. If so, it is not reduced. */
  readonly isChosen: boolean;
  /** The model file, for messages. */
  readonly model: string;
}

/**
 * The maximum number of tokens that the model can run, found by trial. Some families reserve the
 * first rows of their position table, so config.json allows more tokens than the table has
 * positions for.
 */
export async function findMaxLength(trial: LengthTrial): Promise<number> {
  const { run, sample, maxLength, padId, isChosen, model } = trial;
  const failure = async (length: number): Promise<unknown> => {
    const ids = Array.from({ length }, (_, at) => sample[Math.min(at, 1)] ?? 0);
    try {
      await run([ids]);
      return undefined;
    } catch (error) {
      // The run took too long. Shorter texts are not tried, because they could take too long as well.
      if (error instanceof AppError) throw error;
      return error;
    }
  };
  const runs = async (length: number): Promise<boolean> => (await failure(length)) === undefined;

  const error = await failure(maxLength);
  if (error === undefined) return maxLength;
  const shortError = await failure(sample.length);
  if (shortError !== undefined) {
    throw configError(
      `${model} fails on single texts, even on a text of only ${sample.length} tokens: ${firstLine(shortError)}. Export it again, and test the graph with single texts.`,
      shortError,
    );
  }
  let longest = sample.length;
  let failing = maxLength;
  // Tried first, because the usual reason is that positions start after the padding id.
  for (const length of [maxLength - padId, maxLength - padId - 1, maxLength - padId - 2]) {
    if (length <= longest || length >= failing) continue;
    if (await runs(length)) longest = length;
    else failing = length;
  }
  while (failing - longest > 1) {
    const middle = Math.floor((longest + failing) / 2);
    if (await runs(middle)) longest = middle;
    else failing = middle;
  }
  if (!isChosen && longest > sample.length) return longest;
  throw configError(
    `${model} failed on a text of ${maxLength} tokens, which ${isChosen ? '`max_length` allows' : 'its config files allow'}: ${firstLine(error)}. ` +
      `Set \`max_length\` in the config to at most ${longest}, the model's maximum number of tokens.`,
    error,
  );
}
