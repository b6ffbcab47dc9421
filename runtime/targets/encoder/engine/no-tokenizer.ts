import { inputError } from '#contract/errors.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';

const refuse = (): Promise<never> =>
  Promise.reject(inputError('This model reads images, so it has no tokenizer.'));

/** Stands in for the tokenizer of models that read images. Routes that need a tokenizer do not exist for them. */
export const NO_TOKENIZER: TextTokenizer = {
  encode: refuse,
  decode: refuse,
  tokenOf: () => null,
  idOf: () => undefined,
};
