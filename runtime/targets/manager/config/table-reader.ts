import { suggest } from '#core/text/suggest.ts';
import { BYTE_SIZE_RULE, parseByteSize } from '#core/numbers/byte-size.ts';
import { DURATION_RULE, parseDuration } from '#core/time/duration.ts';
import type { ProblemPath, Report } from './problems.ts';

export type TomlTable = Readonly<Record<string, unknown>>;

/** Reads typed values from a table. A value of the wrong type is reported, and read as undefined. */
export interface TableReader {
  text(key: string): string | undefined;
  texts(key: string): readonly string[] | undefined;
  flag(key: string): boolean | undefined;
  count(key: string, min: number): number | undefined;
  milliseconds(key: string): number | undefined;
  bytes(key: string): number | undefined;
  /** Reads a positive number, possibly with a fraction. */
  amount(key: string): number | undefined;
  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined;
  /** Reads a table of strings. */
  record(key: string): Readonly<Record<string, string>> | undefined;
  /** Reads a nested table. Keys not in `known` are reported; without `known`, all keys are allowed. */
  table(key: string, known?: readonly string[]): TableReader | undefined;
  /** Reads a value of any type. */
  any(key: string): unknown;
  keys(): readonly string[];
  /**
   * Whether the table has the key, or a misspelling of it that was already reported, so that the key is not
   * reported as missing as well.
   */
  mentions(key: string): boolean;
  report(message: string, key?: string): void;
}

interface TableContext {
  readonly path: ProblemPath;
  /** The table's description in messages. */
  readonly label: string;
  readonly report: Report;
}

export function readTable(
  table: TomlTable,
  { path, label, report }: TableContext,
  known?: readonly string[],
): TableReader {
  const prefix = label === '' ? '' : `${label}: `;
  const reportKey = (message: string, key?: string): void => {
    report(key === undefined ? path : [...path, key], `${prefix}${message}`);
  };
  const take = <Value>(
    key: string,
    isValid: (value: unknown) => value is Value,
    rule: string,
    describe = describeValue,
  ): Value | undefined => {
    const value = Object.hasOwn(table, key) ? table[key] : undefined;
    if (value === undefined || isValid(value)) return value;
    reportKey(`${key} must be ${rule}, not ${describe(value)}.`, key);
    return undefined;
  };
  const suggestions = new Set<string | undefined>();
  for (const key of known ? Object.keys(table).filter((key) => !known.includes(key)) : []) {
    const suggestion = suggest(key, known ?? []);
    suggestions.add(suggestion);
    const wayOut =
      suggestion === undefined ? `Known keys: ${known?.join(', ')}.` : `Did you mean ${suggestion}?`;
    reportKey(`unknown key ${describeValue(key)}. ${wayOut}`, key);
  }
  return {
    text: (key) => take(key, isText, 'a non-empty string'),
    texts: (key) => take(key, isTexts, 'a list of strings', describeKind),
    flag: (key) => take(key, isFlag, 'true or false'),
    count: (key, min) => take(key, isCount(min), `a whole number of at least ${min}`),
    milliseconds(key) {
      const value = take(key, isDuration, DURATION_RULE);
      return value === undefined ? undefined : parseDuration(value);
    },
    bytes(key) {
      const value = take(key, isByteSize, BYTE_SIZE_RULE);
      return value === undefined ? undefined : parseByteSize(value);
    },
    amount: (key) => take(key, isAmount, 'a positive number'),
    choice: (key, choices) => take(key, isChoice(choices), `one of ${choices.join(', ')}`),
    record: (key) => take(key, isRecord, 'a table of strings, e.g. { NAME = "value" }', describeKind),
    table(key, nestedKeys) {
      const value = take(key, isTable, 'a table');
      const context = { path: [...path, key], label: nestedLabel(label, key), report };
      return value && readTable(value, context, nestedKeys);
    },
    any: (key) => (Object.hasOwn(table, key) ? table[key] : undefined),
    keys: () => Object.keys(table),
    mentions: (key) => Object.hasOwn(table, key) || suggestions.has(key),
    report: reportKey,
  };
}

/** Describes a nested table: by its header `[a.b]` or, within a server, by the server's label and the key. */
function nestedLabel(label: string, key: string): string {
  if (label === '') return `[${key}]`;
  return label.startsWith('[') ? `${label.slice(0, -1)}.${key}]` : `${label}: ${key}`;
}

export function isTable(value: unknown): value is TomlTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** Describes a value for a message; long values are truncated. */
export function describeValue(value: unknown): string {
  if (Array.isArray(value))
    return value.every((item) => isText(item)) ? `a list` : 'a list with other values';
  if (isTable(value))
    return Object.values(value).every((item) => typeof item === 'string')
      ? 'a table'
      : 'a table with other values';
  if (value instanceof Date) return 'a date';
  const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 76)}..."` : text;
}

/** Describes a value without showing strings, because it could be a misplaced secret. */
const describeKind = (value: unknown): string =>
  typeof value === 'string' ? 'a string' : describeValue(value);

// Command lines and environment variables cannot contain NUL.
const isPlain = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
const isText = (value: unknown): value is string => isPlain(value) && value.trim() !== '';
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => isPlain(item));
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isCount =
  (min: number) =>
  (value: unknown): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= min;
const isDuration = (value: unknown): value is string | number =>
  (typeof value === 'string' || typeof value === 'number') && parseDuration(value) !== undefined;
const isByteSize = (value: unknown): value is string => isText(value) && parseByteSize(value) !== undefined;
const isAmount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isFinite(value) && value > 0;
const isChoice =
  <Choice extends string>(choices: readonly Choice[]) =>
  (value: unknown): value is Choice =>
    choices.some((choice) => choice === value);
const isRecord = (value: unknown): value is Record<string, string> =>
  isTable(value) && Object.values(value).every((item) => isPlain(item));
