import { configError } from '#contract/errors.ts';
import type { MaskToken } from '#contract/manifest.ts';
import type { LoadedTokenizer } from '../../adapters/tokenizers.ts';
import type { ModelFiles } from './locate-files.ts';
import { readJson } from './read-json.ts';
import { tokenText } from './tokenizer-settings.ts';

/** The mask tokens of nearly all models. */
const USUAL = ['[MASK]', '<mask>'];

/** Finds the token that stands for a word to predict: in tokenizer_config.json, else in the vocabulary. */
export async function findMaskToken(
  { tokenizerConfig, tokenizer: path }: ModelFiles,
  { idOf }: Pick<LoadedTokenizer, 'idOf'>,
): Promise<MaskToken> {
  const stated =
    tokenizerConfig === undefined
      ? undefined
      : tokenText((await readJson<{ mask_token?: unknown }>(tokenizerConfig)).mask_token);
  for (const token of stated === undefined ? USUAL : [stated]) {
    const id = idOf(token);
    if (id !== undefined) return { id, token };
  }
  throw configError(
    `${path} has no mask token (${stated ?? USUAL.join(' or ')}), which model_type fill_mask requires. Choose another \`model_type\`, or set \`mask_token\` in tokenizer_config.json.`,
  );
}
