import { pipeline, Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { inputError } from '#contract/errors.ts';
import type { RowCells } from '../dataset.ts';
import { checkColumns } from './columns.ts';
import { MAX_RECORD_CHARACTERS } from './limits.ts';
import type { ReadRowsOptions } from './read-options.ts';
import { createYielder } from '#platform/run-yielding.ts';
import { decodeUtf8 } from './utf8.ts';
import { memberOf } from '#core/values/member-of.ts';
import { EXAMPLES } from '../check-row.ts';

interface Record {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * Reads a CSV file whose first line contains the column names, with cells separated by commas, semicolons,
 * tabs or vertical bars. Throws an InputError with the line number.
 */
export async function* readCsv(
  bytes: AsyncIterable<Uint8Array>,
  { textColumn }: Pick<ReadRowsOptions, 'textColumn'> = {},
): AsyncGenerator<RowCells, void> {
  const texts = decodeUtf8(bytes);
  const { separator, start } = await findSeparator(texts, textColumn);
  const parser = parse({
    delimiter: separator,
    bom: true,
    info: true,
    skip_empty_lines: true,
    relax_column_count: true,
    max_record_size: MAX_RECORD_CHARACTERS,
  });
  // The parser throws errors of the source, so the callback ignores them.
  pipeline(Readable.from(piecesOf(start, texts)), parser, () => undefined);
  let columns: readonly string[] | undefined;
  try {
    const records: AsyncIterable<Record> = parser;
    for await (const { record, info } of records) {
      if (columns) yield rowOf(columns, record, info.lines, separator);
      else columns = checkColumns(record.map((name) => name.trim()));
    }
  } catch (error) {
    throw error instanceof CsvError ? explain(error) : error;
  }
}

/** Number of characters parsed per step: 10 ms, even if all of them are separators. */
const STEP = 16_384;

/** Pieces of the full text. Yields to the event loop between them, because a row can have millions of cells. */
async function* piecesOf(start: string, rest: AsyncIterable<string>): AsyncGenerator<string, void> {
  const pause = createYielder();
  for await (const text of withStart(start, rest)) {
    for (let at = 0; at < text.length; at += STEP) {
      yield text.slice(at, at + STEP);
      await pause();
    }
  }
}

async function* withStart(start: string, rest: AsyncIterable<string>): AsyncGenerator<string, void> {
  yield start;
  yield* rest;
}

const SEPARATOR_NAMES: ReadonlyMap<string, string> = new Map([
  [',', 'commas'],
  [';', 'semicolons'],
  ['\t', 'tabs'],
]);

function rowOf(
  columns: readonly string[],
  record: readonly string[],
  line: number,
  separator: string,
): RowCells {
  if (record.length !== columns.length) {
    throw inputError(
      `The row that ends on line ${line} has ${record.length} cells, but the first line has ${columns.length} columns. ` +
        `Quote text that contains ${SEPARATOR_NAMES.get(separator) ?? JSON.stringify(separator)} or line breaks.`,
    );
  }
  return Object.fromEntries(columns.map((column, index) => [column, record[index] ?? null]));
}

function explain(error: CsvError): Error {
  const lines = memberOf(error, 'lines');
  const place = typeof lines === 'number' ? ` near line ${lines}` : '';
  return inputError(`The dataset is not valid CSV${place}: ${reasonOf(error)}.`, error);
}

function reasonOf({ code, message }: CsvError): string {
  if (code === 'CSV_QUOTE_NOT_CLOSED') return 'a quoted cell has no closing quote';
  if (code === 'CSV_MAX_RECORD_SIZE') {
    return `a row exceeds ${MAX_RECORD_CHARACTERS} characters; a closing quote may be missing`;
  }
  return message.replace(/\.$/, '');
}

/** A CSV file's cell separator, and how the file starts. */
interface Separated {
  readonly separator: string;
  /** The text that was read to detect the separator, excluding a line that only declares it. */
  readonly start: string;
}

const SEPARATORS = [',', ';', '\t', '|'];
/** A line that declares the separator, as Excel writes and reads it. */
const NAMED = /^\uFEFF?sep=(.)\r?(?:\n|$)/;
/** Longer first lines have many columns, so their start is sufficient. It is parsed in one event loop turn. */
const MAX_START = 65_536;

/**
 * Reads the first line and detects the separator: the one declared by `sep=`, or the one that yields the text
 * column's name.
 */
async function findSeparator(
  texts: AsyncIterator<string, void>,
  textColumn: string = EXAMPLES,
): Promise<Separated> {
  const start = await readFirstLine(texts);
  const [line, named] = NAMED.exec(start) ?? [];
  if (line !== undefined && named !== undefined) return { separator: named, start: start.slice(line.length) };
  const [header = ''] = start.trimStart().split('\n', 1);
  const cells = (separator: string): string[] =>
    header.split(separator).map((cell) => cell.trim().replaceAll(/^"|"$/g, '').trim());
  return { separator: SEPARATORS.find((one) => cells(one).includes(textColumn)) ?? ',', start };
}

/** Reads up to the chunk containing the end of the first non-blank line. Each chunk is searched once. */
async function readFirstLine(texts: AsyncIterator<string, void>): Promise<string> {
  let start = '';
  let hasText = false;
  while (start.length < MAX_START) {
    const next = await texts.next();
    if (next.done === true) break;
    const from = hasText ? 0 : next.value.search(/\S/);
    start += next.value;
    if (from === -1) continue;
    hasText = true;
    if (next.value.includes('\n', from)) break;
  }
  return start;
}
