import type { Manifest, TokenizerSettings } from '#contract/manifest.ts';
import type { TextRole } from '#contract/multi-vector.ts';
import { maxTextLength } from '#core/model/mark-text.ts';

/** Settings of the tokenizer for queries or documents; all texts of other models have the same. */
export function tokenizerForRole(
  { tokenizer, multiVector }: Pick<Manifest, 'tokenizer' | 'multiVector'>,
  role: TextRole,
): TokenizerSettings {
  const rules = multiVector?.[role];
  return rules ? { ...tokenizer, maxLength: maxTextLength(rules) } : tokenizer;
}
