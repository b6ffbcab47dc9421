import { configError } from '#contract/errors.ts';
import { addedToken, type WordPieceFamily } from './family.ts';
import { roleToken, templateProcessing, withoutToken } from './post-processor.ts';
import type { TokenSettings } from './settings.ts';
import { addModelTokens, type TokenizerFile, tokenizerFile, TokenList } from './token-list.ts';

/**
 * Creates the tokenizer for a vocab.txt with whole tokens, such as amino acids. All tokens are
 * searched for in a text, the longest first, and need no spaces between them. The words of the rest
 * are unknown tokens.
 */
export function wholeTokenTokenizer(
  family: WordPieceFamily,
  vocabulary: ReadonlyMap<string, number>,
  tokens: TokenSettings,
  options: { readonly do_lower_case?: unknown },
): TokenizerFile {
  if (options.do_lower_case === true) {
    throw configError(
      `tokenizer_config.json sets \`do_lower_case\` to true, which is not supported for a ${family.name}Tokenizer. Save tokenizer.json with the tokenizer's \`save_pretrained\`.`,
    );
  }
  const list = new TokenList(vocabulary);
  for (const token of vocabulary.keys()) list.add(addedToken(token, { normalized: false }));
  addModelTokens(list, tokens);
  const unknown = roleToken('unk', tokens.special);
  if (!vocabulary.has(unknown)) throw withoutToken(unknown);
  return tokenizerFile({
    added_tokens: list.list(),
    normalizer: null,
    pre_tokenizer: { type: 'WhitespaceSplit' },
    post_processor: { ...templateProcessing(family.template, tokens, list) },
    decoder: { type: 'Fuse' },
    model: { type: 'WordLevel', unk_token: unknown, vocab: Object.fromEntries(vocabulary) },
  });
}
