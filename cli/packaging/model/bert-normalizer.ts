import { tokenizerName } from '../tokenizer/choose-family.ts';
import { FAMILIES } from '../tokenizer/families.ts';
import type { ModelConfig } from './model-config.ts';
import type { TokenizerConfig, TokenizerJson } from './tokenizer-settings.ts';

/**
 * Applies settings of tokenizer_config.json that differ from tokenizer.json, as the tokenizer classes of the BERT family do.
 * Other classes read these settings only when they convert a vocabulary. A setting that is missing changes nothing.
 */
export function withBertSettings<Json extends TokenizerJson>(
  json: Json,
  tokenizerConfig: TokenizerConfig,
  modelConfig: ModelConfig,
): Json {
  const { normalizer } = json;
  const name = tokenizerName({ tokenizerConfig, modelConfig });
  const family = FAMILIES.find((known) => known.name === name);
  if (family?.kind !== 'wordpiece' || normalizer?.type !== 'BertNormalizer') return json;
  const { do_lower_case, strip_accents, tokenize_chinese_chars } = tokenizerConfig;
  return {
    ...json,
    normalizer: {
      ...normalizer,
      ...(typeof do_lower_case === 'boolean' ? { lowercase: do_lower_case } : {}),
      ...(typeof strip_accents === 'boolean' || strip_accents === null ? { strip_accents } : {}),
      // MPNet's class leaves this one as it is in tokenizer.json.
      ...(typeof tokenize_chinese_chars === 'boolean' && name !== 'MPNet'
        ? { handle_chinese_chars: tokenize_chinese_chars }
        : {}),
    },
  };
}
