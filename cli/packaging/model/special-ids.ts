import type { LoadedTokenizer } from '../../adapters/tokenizers.ts';
import type { ModelFiles } from './locate-files.ts';
import { readJson } from './read-json.ts';
import { type TokenizerConfig, tokenText } from './tokenizer-settings.ts';

/** The tokens of XLM-RoBERTa, for settings that do not name them. */
const USUAL = { cls_token: '<s>', eos_token: '</s>', pad_token: '<pad>', unk_token: '<unk>' } as const;

/** Ids of the tokens without a weight in sparse vectors, as in FlagEmbedding: start, end, padding and unknown words. */
export async function specialIds(
  { tokenizerConfig }: Pick<ModelFiles, 'tokenizerConfig'>,
  { idOf }: Pick<LoadedTokenizer, 'idOf'>,
): Promise<number[]> {
  const config = tokenizerConfig === undefined ? {} : await readJson<TokenizerConfig>(tokenizerConfig);
  const names = Object.keys(USUAL) as (keyof typeof USUAL)[];
  const ids = names.flatMap((name) => idOf(tokenText(config[name]) ?? USUAL[name]) ?? []);
  return [...new Set(ids)].sort((a, b) => a - b);
}
