import { pipeline, Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { inputError } from '../../../../../contract/errors.ts';
import type { Row } from '../dataset.ts';
import { checkColumns } from './columns.ts';
import { MOST_CELL_CHARACTERS } from './limits.ts';
import { decodeUtf8 } from './utf8.ts';

interface Record {
  readonly record: readonly string[];
  readonly info: Info;
}

/** The rows of a CSV file whose first line names the columns. Throws an InputError that names the line. */
export async function* readCsv(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row, void> {
  const parser = parse({
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    // More is a quote that nobody closed.
    max_record_size: 4 * MOST_CELL_CHARACTERS,
  });
  // What goes wrong in the source is thrown by the parser.
  pipeline(Readable.from(decodeUtf8(bytes)), parser, () => undefined);
  let columns: readonly string[] | undefined;
  try {
    for await (const { record, info } of parser as AsyncIterable<Record>) {
      if (columns) yield rowOf(columns, record, info.lines);
      else columns = checkColumns(record.map((name) => name.trim()));
    }
  } catch (error) {
    throw error instanceof CsvError ? explain(error) : error;
  }
}

function rowOf(columns: readonly string[], record: readonly string[], line: number): Row {
  if (record.length !== columns.length) {
    throw inputError(
      `The row that ends on line ${line} has ${record.length} cells, and the first line names ${columns.length} columns. ` +
        'Text with a comma or a line break must stand in quotes.',
    );
  }
  return Object.fromEntries(columns.map((column, index) => [column, record[index] ?? null]));
}

function explain(error: CsvError): Error {
  const { lines } = error as CsvError & { readonly lines?: number };
  const place = lines === undefined ? '' : ` near line ${lines}`;
  return inputError(`The dataset is not valid CSV${place}: ${reasonOf(error)}.`, error);
}

function reasonOf({ code, message }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quote is opened and never closed';
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return `a row has more than ${4 * MOST_CELL_CHARACTERS} characters; a quote may be missing before it`;
  }
  return message.replace(/\.$/, '');
}
