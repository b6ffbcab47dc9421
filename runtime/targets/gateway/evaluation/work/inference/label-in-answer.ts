/**
 * The label in a language model's response: the response without quotes, punctuation and a leading word such
 * as "label", or the only label that occurs in a longer response. Any other response is returned unchanged
 * and counts as wrong.
 */
export function labelInAnswer(answer: string, labels: readonly string[] = []): string {
  const text = plain(answer);
  const exact = labels.find((label) => label === text);
  if (exact !== undefined) return exact;
  const alike = labels.filter((label) => label.toLowerCase() === text.toLowerCase());
  if (alike.length === 1 && alike[0] !== undefined) return alike[0];
  const named = labels.filter((label) => isNamed(label, answer));
  if (named.length === 1 && named[0] !== undefined) return named[0];
  return text.slice(0, MAX_LABEL_LENGTH);
}

/** Maximum length of a response that is not a label. It is only displayed, and long texts would fill tables. */
const MAX_LABEL_LENGTH = 100;

function plain(answer: string): string {
  const text = answer
    .trim()
    .replace(/^(?:the\s+)?(?:label|class|category|answer)\s*(?:is\s*)?[:=]?\s+/i, '')
    .replace(/^[\s"'`*_]+/, '');
  let end = text.length;
  while (end > 0 && /[\s"'`*_.!]/.test(text.charAt(end - 1))) end -= 1;
  return text.slice(0, end);
}

/** Whether the response contains the label as a whole word. */
function isNamed(label: string, answer: string): boolean {
  const pattern = RegExp.escape(label);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${pattern}(?![\p{L}\p{N}_])`, 'iu').test(answer);
}
