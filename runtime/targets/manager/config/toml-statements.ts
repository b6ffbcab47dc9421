import { parse } from 'smol-toml';
import { memberOf } from '#core/values/member-of.ts';
import { rememberLatest } from '../shared/remember-latest.ts';

/** A header or a key-value pair, with its position in the text. Comments and blank lines are not included. */
export interface Statement {
  readonly kind: 'table' | 'array-table' | 'key';
  /** The parts of the key or header. The parts of a key do not include the header above it. */
  readonly keys: readonly string[];
  readonly start: number;
  /** Position after the statement's last line break. */
  readonly end: number;
}

/** Returns the statements of a text, which must be valid TOML. The result for the latest text is cached. */
export const tomlStatements: (text: string) => readonly Statement[] = rememberLatest(1, statementsOf);

function statementsOf(text: string): Statement[] {
  const statements: Statement[] = [];
  let at = 0;
  while (at < text.length) {
    const start = skip(text, at, /[\s\uFEFF]*/y);
    if (start >= text.length) break;
    if (text[start] === '#') {
      at = skip(text, start, /[^\n]*\n?/y);
      continue;
    }
    const isHeader = text[start] === '[';
    const [, brackets = '', raw = ''] = matchAt(text, start, isHeader ? HEADER : KEY);
    const value = start + brackets.length + raw.length;
    const end = isHeader ? skip(text, value, /[^\n]*\n?/y) : endOfValue(text, value + 1);
    const kind = isHeader ? (brackets === '[[' ? 'array-table' : 'table') : 'key';
    statements.push({ kind, keys: keysOf(raw), start, end });
    at = Math.max(end, start + 1);
  }
  return statements;
}

const KEY_PARTS = String.raw`(?:"(?:\\.|[^"\\])*"|'[^']*'|[^"'=\]])*`;
const HEADER = new RegExp(String.raw`(\[\[?)(${KEY_PARTS})`, 'y');
const KEY = new RegExp(`()(${KEY_PARTS})`, 'y');

/** Matches strings and comments, where brackets and line breaks have no meaning. */
const QUOTED = /"""(?:\\[^]|[^\\])*?"""(?!")|'''[^]*?'''(?!')|"(?:\\.|[^"\\\n])*"|'[^'\n]*'|#[^\n]*/y;

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let at = start;
  while (at < text.length) {
    const [quoted] = matchAt(text, at, QUOTED);
    if (quoted) {
      at += quoted.length;
      continue;
    }
    const letter = text[at];
    at += 1;
    if (letter === '[' || letter === '{') depth += 1;
    if (letter === ']' || letter === '}') depth -= 1;
    if (letter === '\n' && depth === 0) break;
  }
  return at;
}

const BARE_KEYS = /^\s*[\w-]+(?:[ \t]*\.[ \t]*[\w-]+)*\s*$/;

/** Splits a dotted key into its parts and resolves escapes. */
function keysOf(raw: string): string[] {
  // Most keys do not need the parser, which is slow for thousands of them.
  if (BARE_KEYS.test(raw)) return raw.split('.').map((key) => key.trim());
  const keys: string[] = [];
  let table: unknown = parse(`${raw} = 0`);
  while (typeof table === 'object' && table !== null) {
    const [key = ''] = Object.keys(table);
    keys.push(key);
    table = memberOf(table, key);
  }
  return keys;
}

function matchAt(text: string, at: number, pattern: RegExp): RegExpExecArray | readonly string[] {
  pattern.lastIndex = at;
  return pattern.exec(text) ?? [];
}

const skip = (text: string, at: number, pattern: RegExp): number =>
  at + (matchAt(text, at, pattern)[0]?.length ?? 0);
