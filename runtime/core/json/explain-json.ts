import { messageOf } from '#contract/errors.ts';

/**
 * Maximum length of a text in which this module searches for the position of an error. In longer
 * texts, the position is only reported if the parser's message contains it.
 */
const SEARCHED_LENGTH = 65_536;

/** Explains why `JSON.parse` rejected a text, and where. */
export function explainJson(text: string, error: unknown): string {
  const at =
    positionIn(messageOf(error)) ?? (text.length <= SEARCHED_LENGTH ? searchPosition(text) : undefined);
  if (at === undefined) return 'unexpected character at an unknown position.';
  if (at >= text.length) return text.trim() === '' ? 'it is empty.' : 'unexpected end of input.';
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return `unexpected ${JSON.stringify(found)} at line ${line}, column ${column}.`;
}

/**
 * Extracts the position of the error from the parser's message. Most messages contain it, for
 * example `at position 12 (line 1 column 13)`.
 */
function positionIn(message: string): number | undefined {
  // Messages about an unterminated string contain its start, but the error is at the end of the
  // text.
  if (/^(?:Unexpected end|Unterminated string)/.test(message)) return Infinity;
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  return position === undefined ? undefined : Number(position);
}

/**
 * Finds the first character that makes the text invalid, by bisection: the text before it is the
 * beginning of a valid JSON text.
 */
function searchPosition(text: string): number {
  let [good, bad] = [0, text.length + 1];
  while (bad - good > 1) {
    const middle = (good + bad) >> 1;
    if (couldContinue(text.slice(0, middle))) good = middle;
    else bad = middle;
  }
  return bad - 1;
}

function couldContinue(beginning: string): boolean {
  try {
    JSON.parse(beginning);
    return true;
  } catch (error) {
    return (positionIn(messageOf(error)) ?? 0) >= beginning.length;
  }
}
