import { suggest } from '../../../core/text/suggest.ts';
import { DURATION_RULE, parseDuration } from '../../../core/time/duration.ts';
import type { Path, Report } from './problems.ts';

export type Table = Readonly<Record<string, unknown>>;

/** Takes typed values out of a table; what has another type is reported and left out. */
export interface TableReader {
  text(key: string): string | undefined;
  texts(key: string): readonly string[] | undefined;
  flag(key: string): boolean | undefined;
  count(key: string, least: number): number | undefined;
  milliseconds(key: string): number | undefined;
  choice<Choice extends string>(key: string, choices: readonly Choice[]): Choice | undefined;
  /** A table of texts. */
  record(key: string): Readonly<Record<string, string>> | undefined;
  /** A table below this one. Keys that are not `known` are reported; without `known` all are. */
  table(key: string, known?: readonly string[]): TableReader | undefined;
  /** A value of any type. */
  any(key: string): unknown;
  keys(): readonly string[];
  /** Whether the key is there, or a misspelt one that was meant as it: then nothing more is said about it. */
  mentions(key: string): boolean;
  report(message: string, key?: string): void;
}

interface Place {
  readonly path: Path;
  /** What a message calls the table. */
  readonly label: string;
  readonly report: Report;
}

export function readTable(
  table: Table,
  { path, label, report }: Place,
  known?: readonly string[],
): TableReader {
  const prefix = label === '' ? '' : `${label}: `;
  const tell = (message: string, key?: string): void => {
    report(key === undefined ? path : [...path, key], `${prefix}${message}`);
  };
  const take = <Value>(
    key: string,
    isRight: (value: unknown) => value is Value,
    rule: string,
    describe = nameValue,
  ): Value | undefined => {
    const value = Object.hasOwn(table, key) ? table[key] : undefined;
    if (value === undefined || isRight(value)) return value;
    tell(`${key} must be ${rule}, not ${describe(value)}.`, key);
    return undefined;
  };
  const meant = new Set<string | undefined>();
  for (const key of known ? Object.keys(table).filter((key) => !known.includes(key)) : []) {
    const suggestion = suggest(key, known ?? []);
    meant.add(suggestion);
    const wayOut =
      suggestion === undefined ? `Known are ${known?.join(', ')}.` : `Did you mean ${suggestion}?`;
    tell(`unknown key ${nameValue(key)}. ${wayOut}`, key);
  }
  return {
    text: (key) => take(key, isText, 'a text that is not empty'),
    texts: (key) => take(key, isTexts, 'a list of texts', nameKind),
    flag: (key) => take(key, isFlag, 'true or false'),
    count: (key, least) => take(key, isCount(least), `a whole number of at least ${least}`),
    milliseconds(key) {
      const value = take(key, isDuration, DURATION_RULE);
      return value === undefined ? undefined : parseDuration(value);
    },
    choice: (key, choices) => take(key, isChoice(choices), `one of ${choices.join(', ')}`),
    record: (key) => take(key, isRecord, 'a table of texts, as in { NAME = "value" }', nameKind),
    table(key, below) {
      const value = take(key, isTable, 'a table');
      const place = { path: [...path, key], label: labelBelow(label, key), report };
      return value && readTable(value, place, below);
    },
    any: (key) => (Object.hasOwn(table, key) ? table[key] : undefined),
    keys: () => Object.keys(table),
    mentions: (key) => Object.hasOwn(table, key) || meant.has(key),
    report: tell,
  };
}

/** Tables of a file are named as their headers, those of a server by its name. */
function labelBelow(label: string, key: string): string {
  if (label === '') return `[${key}]`;
  return label.startsWith('[') ? `${label.slice(0, -1)}.${key}]` : `${label}: ${key}`;
}

export function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

/** A value as a message names it, cut where it is long. */
export function nameValue(value: unknown): string {
  if (Array.isArray(value)) return value.every((item) => isText(item)) ? `a list` : 'a list of other things';
  if (isTable(value))
    return Object.values(value).every((item) => typeof item === 'string')
      ? 'a table'
      : 'a table of other things';
  if (value instanceof Date) return 'a date';
  const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 76)}..."` : text;
}

/** A value that may be a secret in the wrong place. */
const nameKind = (value: unknown): string => (typeof value === 'string' ? 'a text' : nameValue(value));

// Neither command lines nor environments can hold a NUL.
const isPlain = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');
const isText = (value: unknown): value is string => isPlain(value) && value.trim() !== '';
const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((item) => isPlain(item));
const isFlag = (value: unknown): value is boolean => typeof value === 'boolean';
const isCount =
  (least: number) =>
  (value: unknown): value is number =>
    typeof value === 'number' && Number.isSafeInteger(value) && value >= least;
const isDuration = (value: unknown): value is string | number =>
  (typeof value === 'string' || typeof value === 'number') && parseDuration(value) !== undefined;
const isChoice =
  <Choice extends string>(choices: readonly Choice[]) =>
  (value: unknown): value is Choice =>
    choices.some((choice) => choice === value);
const isRecord = (value: unknown): value is Record<string, string> =>
  isTable(value) && Object.values(value).every((item) => isPlain(item));
