import { parse as parseCsv } from 'csv-parse/sync';
import { inputError, messageOf } from '#contract/errors.ts';
import { explainJson } from '#core/json/explain-json.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';

/** One price in a file, with members that are not validated yet. */
export interface PriceRecord {
  /** Line or list index, for messages. */
  readonly where: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/**
 * Parses JSON (a list of prices, or an object of prices keyed by model) or CSV. Throws an InputError if the
 * text is neither.
 */
export function readPriceRecords(text: string, file: string): PriceRecord[] {
  return /^\uFEFF?\s*[[{]/.test(text) ? fromJson(text.replace(/^\uFEFF/, ''), file) : fromCsv(text, file);
}

function fromJson(text: string, file: string): PriceRecord[] {
  const value = parseJson(text, file);
  if (Array.isArray(value)) {
    return value.map((members: unknown, index) => recordOf(`${file}, price ${index + 1}`, members));
  }
  return Object.entries(isObject(value) ? value : {}).map(([model, members]) => {
    const { where, members: known } = recordOf(`${file}, ${JSON.stringify(model)}`, members);
    return { where, members: { model_key: model, ...known } };
  });
}

function parseJson(text: string, file: string): unknown {
  try {
    return parseJsonText(text);
  } catch (error) {
    throw inputError(`${file} is not valid JSON: ${explainJson(text, error)}`, error);
  }
}

function recordOf(where: string, members: unknown): PriceRecord {
  if (isObject(members)) return { where, members };
  throw inputError(`${where}: expected an object with price members.`);
}

interface CsvLine {
  readonly info: { readonly lines: number };
  readonly record: readonly string[];
}

function fromCsv(text: string, file: string): PriceRecord[] {
  const [head, ...lines] = parseLines(text, file);
  if (!head)
    throw inputError(`${file} is empty. Its first line must contain the column names, e.g. model_key.`);
  const names = head.record.map((name) => name.trim());
  return lines.map(({ info, record }) => ({
    where: `${file}:${info.lines}`,
    // An empty cell counts as not set.
    members: Object.fromEntries(
      names.flatMap((name, index) => {
        const cell = record[index]?.trim();
        return cell === '' || cell === undefined ? [] : [[name, cell] as const];
      }),
    ),
  }));
}

function parseLines(text: string, file: string): CsvLine[] {
  try {
    return parseCsv(text, {
      bom: true,
      skip_empty_lines: true,
      relax_column_count: true,
      info: true,
    }) as unknown as CsvLine[];
  } catch (error) {
    throw inputError(`${file} is not valid CSV: ${messageOf(error)}.`, error);
  }
}
