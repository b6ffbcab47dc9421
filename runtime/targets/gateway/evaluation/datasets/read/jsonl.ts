import { inputError, messageOf } from '#contract/errors.ts';
import { isObject } from '#core/json/is-object.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { lines } from '#core/text/lines.ts';
import type { Row } from '../dataset.ts';
import { checkColumns } from './columns.ts';
import { decodeUtf8 } from './utf8.ts';

/** Reads a file with one JSON object per line. Throws an InputError with the line number. */
export async function* readJsonl(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row, void> {
  let number = 0;
  let columns: readonly string[] | undefined;
  for await (const line of lines(decodeUtf8(bytes))) {
    number += 1;
    if (line.trim() === '') continue;
    const row = parse(line, number);
    columns ??= checkColumns(Object.keys(row));
    yield fitted(row, columns, number);
  }
}

function parse(line: string, number: number): Row {
  let value: unknown;
  try {
    value = parseJsonText(line);
  } catch (error) {
    throw inputError(`Line ${number} of the dataset is not valid JSON: ${messageOf(error)}`, error);
  }
  if (isObject(value)) return value as Row;
  throw inputError(
    `Line ${number} of the dataset is not a JSON object. Write one row per line, e.g. {"examples": "…"}.`,
  );
}

/** The row with the columns of the first row, in the same order. */
function fitted(row: Row, columns: readonly string[], number: number): Row {
  const unknown = Object.keys(row).find((name) => !columns.includes(name));
  if (unknown !== undefined) {
    throw inputError(
      `Line ${number} of the dataset has column ${JSON.stringify(unknown)}, which the first line does not have. All rows must have the same columns.`,
    );
  }
  return Object.fromEntries(columns.map((column) => [column, row[column] ?? null]));
}
