import { readJson } from './read-json.ts';
import { type TokenizerConfig, tokenText } from './tokenizer-settings.ts';

/** Masks of tokenizers whose settings do not name one. */
const USUAL_MASKS = ['[MASK]', '<mask>'];

/** Tokens that fill queries: the mask, or the end of a text for models without a mask, as in PyLate. */
export async function fillerTokens(tokenizerConfig: string | undefined): Promise<string[]> {
  const config = tokenizerConfig === undefined ? {} : await readJson<TokenizerConfig>(tokenizerConfig);
  const [mask, end] = [tokenText(config.mask_token), tokenText(config.eos_token)];
  return [...(mask === undefined ? USUAL_MASKS : [mask]), ...(end === undefined ? [] : [end])];
}
