import { inputError } from '#contract/errors.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';

const refuse = (): never => {
  throw inputError('This model reads images, so it has no tokenizer.');
};

/** Stands in for the tokenizer of models that read images. Routes that need a tokenizer do not exist for them. */
export const NO_TOKENIZER: TextTokenizer = {
  encode: async () => await Promise.try(refuse),
  decode: async () => await Promise.try(refuse),
  tokenOf: () => null,
  idOf: () => undefined,
};
