import { messageOf } from '../contract/errors.ts';

/** Where a large text goes wrong is only told if the parser says so; searching for it would take too long. */
const SEARCHED_LENGTH = 65_536;

/** What is wrong with a text that `JSON.parse` refused, and where. */
export function explainJson(text: string, error: unknown): string {
  const at =
    positionIn(messageOf(error)) ?? (text.length <= SEARCHED_LENGTH ? searchPosition(text) : undefined);
  if (at === undefined) return 'unexpected character at an unknown position.';
  if (at >= text.length) return text.trim() === '' ? 'it is empty.' : 'it ends too early.';
  const before = text.slice(0, at);
  const line = before.split('\n').length;
  const column = at - before.lastIndexOf('\n');
  const found = String.fromCodePoint(text.codePointAt(at) ?? 0);
  return `unexpected ${JSON.stringify(found)} at line ${line}, column ${column}.`;
}

/** The parser's own word, which most of its messages have: `... in JSON at position 12 (line 1 column 13)`. */
function positionIn(message: string): number | undefined {
  // Of a string that does not end they name the beginning.
  if (/^(?:Unexpected end|Unterminated string)/.test(message)) return Infinity;
  const [, position] = / at position (\d+)/.exec(message) ?? [];
  return position === undefined ? undefined : Number(position);
}

/** The first character without which what is before it could still become JSON, found by halving. */
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
