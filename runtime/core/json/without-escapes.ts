import { lookup } from '#core/values/lookup.ts';
/** Characters that JSON represents as a backslash and a letter. */
const SHORT = lookup<string>({
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  '"': '"',
  '\\': '\\',
  '/': '/',
});
const CODE_LENGTH = 6;

interface Escape {
  readonly at: number;
  readonly length: number;
  readonly character: string;
}

/** Finds the escapes in a text in linear time. The text does not have to be valid JSON. */
function* escapesIn(text: string): Generator<Escape> {
  for (let at = text.indexOf('\\'); at !== -1;) {
    const next = text.charAt(at + 1);
    const digits = next === 'u' ? text.slice(at + 2, at + CODE_LENGTH) : '';
    const isCode = /^[\da-f]{4}$/i.test(digits);
    const character = isCode ? String.fromCharCode(Number.parseInt(digits, 16)) : SHORT[next];
    const length = isCode ? CODE_LENGTH : 2;
    if (character !== undefined) yield { at, length, character };
    at = text.indexOf('\\', at + (character === undefined ? 1 : length));
  }
}

/** Decodes the JSON escapes in a text. */
export function withoutEscapes(text: string): string {
  if (!text.includes('\\')) return text;
  let result = '';
  let from = 0;
  for (const { at, length, character } of escapesIn(text)) {
    result += text.slice(from, at) + character;
    from = at + length;
  }
  return result + text.slice(from);
}

export interface Unescaped {
  readonly text: string;
  /** Position in the escaped text of each decoded character, followed by the length of the escaped text. */
  readonly offsets: readonly number[];
}

/** Decodes the JSON escapes in a text, and returns the positions of the decoded characters. */
export function unescaped(escaped: string): Unescaped {
  const offsets: number[] = [];
  let text = '';
  let from = 0;
  const copy = (to: number): void => {
    for (let at = from; at < to; at += 1) offsets.push(at);
    text += escaped.slice(from, to);
  };
  for (const { at, length, character } of escapesIn(escaped)) {
    copy(at);
    offsets.push(at);
    text += character;
    from = at + length;
  }
  copy(escaped.length);
  offsets.push(escaped.length);
  return { text, offsets };
}

/**
 * Returns the start of an incomplete escape at the end of a text of which more will arrive;
 * undefined if there is none.
 */
export function openEscape(text: string): number | undefined {
  const last = text.lastIndexOf('\\', text.length - 1);
  if (last === -1 || text.length - last >= CODE_LENGTH) return undefined;
  const rest = text.slice(last + 1);
  if (rest !== '' && !/^u[\da-f]{0,3}$/i.test(rest)) return undefined;
  // In a sequence of backslashes, every second backslash is escaped by the previous one.
  let first = last;
  while (first > 0 && text[first - 1] === '\\') first -= 1;
  return (last - first) % 2 === 0 ? last : undefined;
}
