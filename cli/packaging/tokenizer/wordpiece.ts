import type { WordPieceFamily } from './family.ts';
import { roleToken, templateProcessing, withoutToken } from './post-processor.ts';
import type { TokenSettings } from './settings.ts';
import { addTokens, TokenList } from './token-list.ts';
import { type TokenizerFile, tokenizerFile } from './tokenizer-file.ts';

/** Settings of tokenizer_config.json that change how a text is normalized. */
export interface BertOptions {
  readonly do_lower_case?: unknown;
  readonly strip_accents?: unknown;
  readonly tokenize_chinese_chars?: unknown;
}

/** Makes the tokenizer of a vocab.txt. */
export function wordPieceTokenizer(
  family: WordPieceFamily,
  vocabulary: ReadonlyMap<string, number>,
  tokens: TokenSettings,
  options: BertOptions,
): TokenizerFile {
  const list = new TokenList(vocabulary);
  addTokens(list, tokens);
  const unknown = roleToken('unk', tokens.special);
  if (!vocabulary.has(unknown)) throw withoutToken(unknown);
  return tokenizerFile({
    added_tokens: list.list(),
    normalizer: {
      type: 'BertNormalizer',
      clean_text: true,
      handle_chinese_chars: options.tokenize_chinese_chars !== false,
      // Without a value of their own, accents are removed exactly if texts are lower-cased.
      strip_accents: typeof options.strip_accents === 'boolean' ? options.strip_accents : null,
      lowercase: options.do_lower_case !== false,
    },
    pre_tokenizer: { type: 'BertPreTokenizer' },
    post_processor: { ...templateProcessing(family.template, tokens, list) },
    decoder: { type: 'WordPiece', prefix: '##', cleanup: true },
    model: {
      type: 'WordPiece',
      unk_token: unknown,
      continuing_subword_prefix: '##',
      max_input_chars_per_word: 100,
      vocab: Object.fromEntries(vocabulary),
    },
  });
}
