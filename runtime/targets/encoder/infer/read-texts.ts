import { createReadStream, statSync } from 'node:fs';
import type { Readable } from 'node:stream';
import { parse as parseCsv } from 'csv-parse';
import { configError, inputError, messageOf } from '../../../contract/errors.ts';
import { parseJsonText } from '../../../core/json/json-text.ts';
import { lines } from '../../../core/text/lines.ts';
import type { InputFormat } from './formats.ts';
import { errorCode } from '../../../core/values/error-code.ts';
import { memberOf } from '../../../core/values/member-of.ts';

export interface TextSource {
  /** A path, or - for standard input. */
  readonly input: string;
  readonly format: InputFormat;
  readonly column: string;
}

/** A text, or the reason why this line has none: one invalid line must not end a run over a million. */
export type TextOrError = { readonly text: string } | { readonly error: string };

export interface OpenTexts {
  /** The texts in order; the file is never held in memory as a whole. */
  readonly texts: AsyncGenerator<TextOrError>;
  /** Share of the file that has been read, from 0 to 1; unknown for standard input. */
  readonly share: () => number | undefined;
}

export function openTexts(source: TextSource): OpenTexts {
  if (source.input === '-')
    return { texts: READERS[source.format](process.stdin, source), share: () => undefined };
  const size = fileSize(source.input);
  const stream = createReadStream(source.input);
  return {
    texts: READERS[source.format](stream, source),
    share: () => (size === 0 ? 1 : stream.bytesRead / size),
  };
}

function fileSize(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw configError(`No such file: ${path}`);
  if (stat.isDirectory()) throw configError(`${path} is a folder. Pass a file.`);
  return stat.size;
}

type Reader = (stream: Readable, source: TextSource) => AsyncGenerator<TextOrError>;

const READERS: Record<InputFormat, Reader> = {
  async *txt(stream) {
    for await (const line of lines(textOf(stream))) yield { text: line };
  },
  async *jsonl(stream, { column }) {
    for await (const line of lines(textOf(stream))) yield textOfJson(line, column);
  },
  async *csv(stream, { column, input }) {
    const records = stream.pipe(parseCsv({ bom: true, relax_column_count: true }));
    stream.on('error', (error) => records.destroy(error));
    let at: number | undefined;
    try {
      for await (const record of records) {
        const cells: readonly string[] = record;
        if (at === undefined) at = columnOf(cells, column, input);
        else yield textOfCell(cells[at]);
      }
    } catch (error) {
      if (errorCode(error)?.startsWith('CSV_')) {
        throw inputError(`${input} is not valid CSV: ${messageOf(error)}.`, error);
      }
      throw error;
    }
  },
};

const textOf = (stream: Readable): AsyncIterable<string> => stream.setEncoding('utf8');

function textOfJson(line: string, key: string): TextOrError {
  try {
    const value: unknown = parseJsonText(line);
    const text = typeof value === 'object' && value !== null ? memberOf(value, key) : value;
    if (typeof text === 'string') return { text };
    return { error: `expected a string, or an object with a string \`${key}\`` };
  } catch {
    return { error: 'not valid JSON' };
  }
}

function columnOf(header: readonly string[], column: string, input: string): number {
  const at = header.indexOf(column);
  if (at >= 0) return at;
  throw configError(
    `${input} has no column ${JSON.stringify(column)}; its columns are ${header.join(', ')}. Choose one with --column.`,
  );
}

const textOfCell = (cell: string | undefined): TextOrError =>
  cell === undefined ? { error: 'the row has too few columns' } : { text: cell };
