import type { TextRules } from '#contract/multi-vector.ts';
import type { TokenizedText } from './tokenized-text.ts';

/** Returns the maximum number of tokens in a text before the marker is added. */
export const maxTextLength = ({ maxLength, marker }: TextRules): number => maxLength - (marker ? 1 : 0);

/**
 * Inserts the marker after a text's first token, and fills the text with expansion tokens up to the
 * maximum length.
 */
export function markText(text: TokenizedText, { marker, maxLength, expansion }: TextRules): TokenizedText {
  const own = [...text.ids];
  const marked = marker ? [...own.slice(0, 1), marker.id, ...own.slice(1)] : own;
  if (!expansion) return { ...text, ids: Int32Array.from(marked) };
  const missing = Array.from({ length: maxLength - marked.length }, () => expansion.id);
  return {
    ...text,
    ids: Int32Array.from([...marked, ...missing]),
    attended: expansion.isAttended ? undefined : marked.length,
  };
}
