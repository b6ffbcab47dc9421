import type { TextRules, TextRole } from '#contract/multi-vector.ts';
import { markText, maxTextLength } from '#core/model/mark-text.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';
import type { Manifest } from '#contract/manifest.ts';
import type { TokenizerSettings } from '#contract/tokenizer-settings.ts';

/**
 * Tokenizes queries or documents for a multi_vector model with a tokenizer that leaves space for
 * the marker token. Surrounding whitespace is removed first, as in the libraries for these models.
 */
export async function encodeMarked(
  tokenizer: TextTokenizer,
  texts: readonly TextInput[],
  rules: TextRules,
): Promise<TokenizedText[]> {
  const trimmed = texts.map(({ text }) => ({ text: text.trim() }));
  const encoded = await tokenizer.encode(trimmed, { details: false });
  return encoded.map((text) => markText(text, rules));
}

/** Tokenizer settings for queries or documents; all texts of other models use the same settings. */
export function tokenizerForRole(
  { tokenizer, multiVector }: Pick<Manifest, 'tokenizer' | 'multiVector'>,
  role: TextRole,
): TokenizerSettings {
  const rules = multiVector?.[role];
  return rules ? { ...tokenizer, maxLength: maxTextLength(rules) } : tokenizer;
}
