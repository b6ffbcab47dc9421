/**
 * Maximum length of an expanded pattern. Searching for a longer pattern takes too long per
 * character of a text.
 */
const MAX_LENGTH = 1000;

export interface RepetitionOptions {
  /** Whether to convert ASCII letters to lower case, to match lower-case texts. */
  readonly lowerCase: boolean;
  /**
   * Whether the pattern also matches if the text ends before the match is complete. With `$`
   * appended, it finds the beginning of a possible match at the end of a text.
   */
  readonly canEnd?: boolean | undefined;
}

/**
 * Rewrites a regular expression for an engine without backtracking: counted repetitions are written
 * out, and groups do not capture. Throws a SyntaxError if a repetition is too long. Other mistakes
 * are reported by the engine.
 */
export function expandRepetitions(source: string, { lowerCase, canEnd = false }: RepetitionOptions): string {
  const lower = (text: string): string => (lowerCase ? text.replaceAll(/[A-Z]/g, asciiLower) : text);
  const orEnd = (text: string): string => (canEnd && text !== '$' ? `(?:${text}|$)` : text);
  const maxLength = canEnd ? MAX_LENGTH * orEnd('x').length : MAX_LENGTH;
  let at = 0;

  const alternatives = (): string => {
    let out = '';
    while (at < source.length && source[at] !== ')') {
      if (source[at] === '|') {
        out += source[at];
        at += 1;
      } else out += repeated(atom());
      if (out.length > maxLength) throw new SyntaxError(`It is longer than ${MAX_LENGTH} characters.`);
    }
    return out;
  };
  const atom = (): string => {
    const rest = source.slice(at);
    const taken = (text: string): string => {
      at += text.length;
      return text;
    };
    if (rest.startsWith('(')) return group(rest);
    const escaped = /^\\(?:x[\da-fA-F]{2}|u[\da-fA-F]{4}|c[A-Za-z]|[^])/.exec(rest)?.[0];
    if (escaped !== undefined && /^\\[1-9k]/.test(escaped))
      throw new SyntaxError('A backreference is not supported.');
    if (escaped !== undefined) return orEnd(taken(escaped));
    const list = /^\[(?:\\[^]|[^\]\\])*\]/.exec(rest)?.[0];
    if (list !== undefined) return orEnd(lowerList(taken(list)));
    return orEnd(lower(taken(rest.slice(0, 1))));
  };
  const group = (rest: string): string => {
    const open = /^\((?:\?(?:[:=!]|<[=!]|<\w+>))?/.exec(rest)?.[0] ?? '(';
    at += open.length;
    const isPlain = open === '(' || /^\(\?<\w/.test(open);
    const inside = alternatives();
    if (source[at] !== ')') return `${open}${inside}`;
    at += 1;
    return `${isPlain ? '(?:' : open}${inside})`;
  };
  const repeated = (one: string): string => {
    const [text = '', fewest = '', comma = '', most = '', lazy = ''] =
      /^\{(\d{1,6})(,?)(\d{0,6})\}(\??)/.exec(source.slice(at)) ?? [];
    if (text === '') {
      const mark = /^[*+?]\??/.exec(source.slice(at))?.[0] ?? '';
      at += mark.length;
      return one + mark;
    }
    at += text.length;
    const unit = one.length === 1 ? one : `(?:${one})`;
    const optional = comma === '' ? 0 : most === '' ? Infinity : Number(most) - Number(fewest);
    const count = Number(fewest) + (optional === Infinity ? 1 : Math.max(optional, 0));
    if (count * (unit.length + 1) > maxLength) throw tooLong(text);
    if (optional < 0) throw new SyntaxError(`Invalid repetition ${text}: the numbers are out of order.`);
    const tail = optional === Infinity ? `${unit}*${lazy}` : `${unit}?${lazy}`.repeat(optional);
    return unit.repeat(Number(fewest)) + tail;
  };
  const lowerList = (list: string): string =>
    lowerCase
      ? list.replaceAll(/\\[^]|[A-Z]/g, (part) => (part.startsWith('\\') ? part : asciiLower(part)))
      : list;

  let result = alternatives();
  // A closing parenthesis without an opening one is a mistake that the engine reports.
  while (at < source.length) {
    result += source[at] === ')' ? ')' : '';
    at += 1;
    result += alternatives();
  }
  return result;
}

const asciiLower = (letter: string): string => letter.toLowerCase();

const tooLong = (text: string): SyntaxError =>
  new SyntaxError(
    `The repetition ${text} is too long: written out, a pattern has at most ${MAX_LENGTH} characters.`,
  );
