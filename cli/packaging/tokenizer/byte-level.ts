import type { ByteLevelFamily } from './family.ts';
import { requiredId, roleToken, templateProcessing } from './post-processor.ts';
import type { TokenSettings } from './settings.ts';
import { addTokens, TokenList } from './token-list.ts';
import { type Component, type TokenizerFile, tokenizerFile } from './tokenizer-file.ts';

/** Settings of tokenizer_config.json that change how a text is split, and where its tokens start. */
export interface ByteLevelOptions {
  readonly add_prefix_space?: unknown;
  readonly trim_offsets?: unknown;
}

/** Makes the tokenizer of a vocab.json and a merges.txt. */
export function byteLevelTokenizer(
  family: ByteLevelFamily,
  vocabulary: ReadonlyMap<string, number>,
  merges: readonly (readonly [string, string])[],
  tokens: TokenSettings,
  options: ByteLevelOptions,
): TokenizerFile {
  const list = new TokenList(vocabulary);
  addTokens(list, tokens);
  const prefix = options.add_prefix_space === true;
  const byteLevel = { type: 'ByteLevel', add_prefix_space: prefix, trim_offsets: true, use_regex: true };
  return tokenizerFile({
    added_tokens: list.list(),
    normalizer: null,
    pre_tokenizer: byteLevel,
    post_processor: family.trimsOffsets
      ? robertaProcessing(tokens, list, prefix, options.trim_offsets !== false)
      : { ...templateProcessing(family.template, tokens, list) },
    decoder: { type: 'ByteLevel', add_prefix_space: true, trim_offsets: true, use_regex: true },
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      fuse_unk: false,
      byte_fallback: false,
      ignore_merges: false,
      vocab: Object.fromEntries(vocabulary),
      merges,
    },
  });
}

function robertaProcessing(
  { special }: TokenSettings,
  list: TokenList,
  prefix: boolean,
  trim: boolean,
): Component {
  const withId = (role: string): [string, number] => {
    const token = roleToken(role, special);
    return [token, requiredId(token, list)];
  };
  return {
    type: 'RobertaProcessing',
    sep: withId('sep'),
    cls: withId('cls'),
    trim_offsets: trim,
    add_prefix_space: prefix,
  };
}
