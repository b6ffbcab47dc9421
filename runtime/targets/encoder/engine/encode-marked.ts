import type { TextRules } from '#contract/multi-vector.ts';
import { markText } from '#core/model/mark-text.ts';
import type { TextInput, TokenizedText } from '#core/model/tokenized-text.ts';
import type { TextTokenizer } from '#platform/tokenizer.ts';

/**
 * Tokenizes the queries or the documents of a multi_vector model, with a tokenizer that leaves room for the marker. White space
 * around a text is removed first, as the libraries of these models do.
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
