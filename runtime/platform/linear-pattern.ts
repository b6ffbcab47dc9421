import { setFlagsFromString } from 'node:v8';
import { expandRepetitions } from '#core/text/expand-repetitions.ts';
import { createYielder } from './run-yielding.ts';

/** A regular expression that is searched in linear time, so that no text can block the event loop. */
export interface LinearPattern {
  /** The pattern as written. */
  readonly source: string;
  readonly ignoreCase: boolean;
  readonly expression: RegExp;
  /** Whether it can only match at the end of a text. */
  readonly hasEndAnchor: boolean;
  /**
   * Finds where a match may have begun at the end of a text; undefined if the pattern is too large
   * for this.
   */
  readonly begun: RegExp | undefined;
}

export interface PatternMatch {
  readonly start: number;
  readonly end: number;
}

/** Length of the parts in which a text is searched, for short patterns. */
const MAX_PART_LENGTH = 8192;
/** Part length times pattern length. Each of these search steps costs at most 10 ns. */
const MAX_STEPS = 400_000;
const MAX_STEPS_AT_ONCE = 2_000_000;
/** Maximum length of a match that is certain to be found, because parts overlap by this much. */
export const MAX_MATCH_LENGTH = 1024;

/**
 * Compiles a pattern for V8's engine without backtracking, which has neither backreferences nor lookaround. Throws a SyntaxError with
 * a message that completes "the pattern is invalid".
 */
export function compileLinearPattern(
  source: string,
  { ignoreCase = false }: { readonly ignoreCase?: boolean | undefined } = {},
): LinearPattern {
  // The flag `l` only exists with this option. The option applies to the whole process, and no
  // other code uses `l`.
  setFlagsFromString('--enable-experimental-regexp-engine');
  const expanded = expandRepetitions(source, { lowerCase: ignoreCase });
  requireValid(source);
  try {
    // oxlint-disable-next-line eslint/no-invalid-regexp -- V8 knows the flag with the option above.
    const expression = new RegExp(expanded, 'lg');
    const hasEndAnchor = containsEndAnchor(source);
    return { source, ignoreCase, expression, hasEndAnchor, begun: begunExpression(source, ignoreCase) };
  } catch (error) {
    if (!/linear time/.test(String(error))) throw error;
    throw new SyntaxError(
      'The pattern cannot be matched in linear time. Lookahead, lookbehind and \\p{…} are not supported.',
      { cause: error },
    );
  }
}

function begunExpression(source: string, lowerCase: boolean): RegExp | undefined {
  try {
    // oxlint-disable-next-line eslint/no-invalid-regexp -- V8 knows the flag with the option above.
    return new RegExp(`(?:${expandRepetitions(source, { lowerCase, canEnd: true })})$`, 'lg');
  } catch {
    return undefined;
  }
}

/** The error message for the rewritten pattern would show a different pattern than the user wrote. */
// oxlint-disable-next-line encoderfile/linear-regexp -- It is compiled and never searched.
const requireValid = (source: string): void => void new RegExp(source);

/** Whether a valid pattern contains a `$` that is neither escaped nor in a character class. */
function containsEndAnchor(source: string): boolean {
  let isInList = false;
  for (let at = 0; at < source.length; at += 1) {
    const character = source[at];
    if (character === '\\') at += 1;
    else if (character === '[') isInList = true;
    else if (character === ']') isInList = false;
    else if (character === '$' && !isInList) return true;
  }
  return false;
}

/**
 * Finds all non-overlapping matches from a position on. Yields to the event loop, and throws after
 * the deadline (in `performance.now` time).
 */
export async function matchesOf(
  { expression, ignoreCase, hasEndAnchor }: LinearPattern,
  text: string,
  deadline: number,
  searchedFrom = 0,
): Promise<PatternMatch[]> {
  const pause = createYielder();
  const searched = ignoreCase ? lowerAscii(text) : text;
  const partLength = partLengthOf(expression);
  const matches: PatternMatch[] = [];
  let from = searchedFrom;
  for (let start = 0; start === 0 || start + MAX_MATCH_LENGTH < searched.length; start += partLength) {
    // The character before a part is included, so that \b and lookbehind see it.
    const offset = Math.max(0, start - 1);
    const part = searched.slice(offset, start + partLength + MAX_MATCH_LENGTH);
    const isLast = start + partLength + MAX_MATCH_LENGTH >= searched.length;
    for (;;) {
      if (performance.now() > deadline) throw new Error('matching the pattern took too long');
      await pause();
      // Another search may have used the expression during the pause.
      const position = Math.max(from, start) - offset;
      expression.lastIndex = position;
      const found = position <= part.length ? expression.exec(part) : null;
      if (!found) break;
      const [begin, end] = [offset + found.index, offset + found.index + found[0].length];
      // A match in the overlap is found again in the next part, where its end is complete.
      if (!isLast && begin >= start + partLength) break;
      // The end of this part is not the end of the text.
      if (hasEndAnchor && !isLast && end === offset + part.length) break;
      if (end > begin) matches.push({ start: begin, end });
      from = Math.max(end, begin + 1);
    }
    if (isLast) break;
  }
  return matches;
}

/** At least the overlap of parts, so that a long pattern does not search most of the text twice. */
const partLengthOf = ({ source }: RegExp): number =>
  Math.max(MAX_MATCH_LENGTH, Math.min(MAX_PART_LENGTH, Math.floor(MAX_STEPS / source.length)));

/**
 * Where the first match begins, from a position on, that the end of the text cuts off or that more
 * text could extend; the length of the text if there is none. Matches longer than
 * `MAX_MATCH_LENGTH` are not found.
 */
export function openMatchIn({ begun, ignoreCase }: LinearPattern, text: string, from: number): number {
  const start = Math.max(from, text.length - MAX_MATCH_LENGTH);
  if (!begun || (text.length - start) * begun.source.length > MAX_STEPS_AT_ONCE) return start;
  begun.lastIndex = start;
  return begun.exec(ignoreCase ? lowerAscii(text) : text)?.index ?? text.length;
}

/**
 * Whether a pattern matches in a short text, without pausing. Throws for a text on which this would
 * take too long.
 */
export function isFoundIn({ expression, ignoreCase }: LinearPattern, text: string): boolean {
  if (text.length * expression.source.length > MAX_STEPS_AT_ONCE)
    throw new Error(`a text of ${text.length} characters is too long for the pattern`);
  expression.lastIndex = 0;
  return expression.test(ignoreCase ? lowerAscii(text) : text);
}

const lowerAscii = (text: string): string => text.replaceAll(/[A-Z]+/g, (letters) => letters.toLowerCase());

/** Replaces all matches. */
export async function replaceMatches(
  pattern: LinearPattern,
  text: string,
  replacement: string,
  deadline: number,
): Promise<string> {
  let out = '';
  let last = 0;
  for (const { start, end } of await matchesOf(pattern, text, deadline)) {
    out += text.slice(last, start) + replacement;
    last = end;
  }
  return out + text.slice(last);
}
