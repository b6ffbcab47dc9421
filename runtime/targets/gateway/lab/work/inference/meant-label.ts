/**
 * The label that a language model means: what it wrote, without quotes, marks and the word "label" before it, or the one label
 * that is named in a longer answer. What is none of the labels stays as it was written, and counts as wrong.
 */
export function meantLabel(answer: string, labels: readonly string[] = []): string {
  const said = plain(answer);
  const exact = labels.find((label) => label === said);
  if (exact !== undefined) return exact;
  const alike = labels.filter((label) => label.toLowerCase() === said.toLowerCase());
  if (alike.length === 1 && alike[0] !== undefined) return alike[0];
  const named = labels.filter((label) => isNamed(label, answer));
  if (named.length === 1 && named[0] !== undefined) return named[0];
  return said.slice(0, MOST_LETTERS);
}

/** A label that is longer is no label; all of what was written would fill tables. */
const MOST_LETTERS = 100;

const plain = (answer: string): string =>
  answer
    .trim()
    .replace(/^(?:the\s+)?(?:label|class|category|answer)\s*(?:is\s*)?[:=]?\s+/i, '')
    .replaceAll(/^[\s"'`*_]+|[\s"'`*_.!]+$/g, '');

/** As a word, not as a part of one. */
function isNamed(label: string, answer: string): boolean {
  const pattern = RegExp.escape(label);
  return new RegExp(String.raw`(?<![\p{L}\p{N}_])${pattern}(?![\p{L}\p{N}_])`, 'iu').test(answer);
}
