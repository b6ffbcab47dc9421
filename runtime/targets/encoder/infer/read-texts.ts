import { createReadStream, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { parse as parseCsv } from 'csv-parse';
import { configError, inputError, messageOf } from '#contract/errors.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { lines } from '#core/text/lines.ts';
import type { InputFormat } from './formats.ts';
import { errorCode } from '#core/values/error-code.ts';
import { memberOf } from '#core/values/member-of.ts';
import { firstInvalidLine } from '#platform/utf8-line.ts';

export interface TextSource {
  /** A path, or - for standard input. */
  readonly input: string;
  readonly format: InputFormat;
  readonly column: string;
  /** Whether an object in a JSON line can have the key `image` with the path of an image, instead of a text. */
  readonly hasImages: boolean;
}

/**
 * The text of a line, the path of its image, or the reason why the line has none. A single invalid line must not stop a
 * run with a million lines.
 */
export type TextOrError =
  /** `isExact`: the line states that it is a text, so that a text is never taken for the name of an image. */
  | { readonly text: string; readonly isExact?: boolean }
  | { readonly image: string }
  | { readonly error: string };

export interface OpenTexts {
  /** The texts in order. The file is never loaded into memory as a whole. */
  readonly texts: AsyncGenerator<TextOrError>;
  /** Share of the file that has been read, from 0 to 1; unknown for standard input. */
  readonly share: () => number | undefined;
  /** Number of blank lines so far. Blank lines do not count as texts. */
  readonly blank: () => number;
}

export function openTexts(source: TextSource): OpenTexts {
  let skipped = 0;
  const blank = (): number => skipped;
  const read = (stream: Readable): AsyncGenerator<TextOrError> =>
    READERS[source.format](stream, { ...source, onBlank: () => (skipped += 1) });
  if (source.input === '-') return { texts: read(process.stdin), share: () => undefined, blank };
  const size = fileSize(source.input);
  const stream = createReadStream(source.input);
  return {
    texts: read(stream),
    share: () => (size === 0 ? 1 : stream.bytesRead / size),
    blank,
  };
}

function fileSize(path: string): number {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (!stat) throw configError(`No such file: ${path}`);
  if (stat.isDirectory()) throw configError(`${path} is a folder. Pass a file.`);
  return stat.size;
}

interface ReadOptions extends TextSource {
  readonly onBlank: () => void;
}

type Reader = (stream: Readable, options: ReadOptions) => AsyncGenerator<TextOrError>;

const READERS: Record<InputFormat, Reader> = {
  async *txt(stream, options) {
    for await (const line of texts(stream, options)) yield { text: line };
  },
  async *jsonl(stream, options) {
    for await (const line of texts(stream, options)) yield textOfJson(line, options);
  },
  async *csv(stream, { column, input }) {
    const text = Readable.from(utf8Text(stream, input));
    const records = text.pipe(parseCsv({ bom: true, relax_column_count: true }));
    text.on('error', (error) => records.destroy(error));
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

/** The non-blank lines of a file. */
async function* texts(stream: Readable, { input, onBlank }: ReadOptions): AsyncGenerator<string> {
  for await (const line of lines(utf8Text(stream, input))) {
    if (line.trim() === '') onBlank();
    else yield line;
  }
}

function textOfJson(line: string, { column: key, hasImages }: ReadOptions): TextOrError {
  try {
    const value: unknown = parseJsonText(line);
    const isRecord = typeof value === 'object' && value !== null;
    const text = isRecord ? memberOf(value, key) : value;
    if (typeof text === 'string') return { text, isExact: isRecord };
    const image = isRecord && hasImages ? memberOf(value, 'image') : undefined;
    if (typeof image === 'string') return { image };
    return {
      error: `expected a string, or an object with a string \`${key}\`${hasImages ? ' or `image`' : ''}`,
    };
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

const LINE_FEED = 0x0a;

/**
 * Decodes a file in chunks of whole lines. Throws an InputError with the number of the first line
 * that is not valid UTF-8.
 */
async function* utf8Text(bytes: AsyncIterable<Uint8Array>, input: string): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  let line = 1;
  const decode = (whole: Buffer): string => {
    const invalid = firstInvalidLine(whole);
    if (invalid !== undefined) throw notUtf8(input, line + invalid - 1);
    return whole.toString('utf8');
  };
  for await (const piece of bytes) {
    const end = piece.lastIndexOf(LINE_FEED) + 1;
    if (end === 0) {
      rest.push(piece);
      continue;
    }
    const text = decode(Buffer.concat([...rest, piece.subarray(0, end)]));
    yield text;
    line += text.split('\n').length - 1;
    rest = [piece.subarray(end)];
  }
  yield decode(Buffer.concat(rest));
}

const notUtf8 = (input: string, line: number): Error =>
  inputError(
    `${input === '-' ? 'Standard input' : input} is not valid UTF-8 on line ${line}. Save it as UTF-8.`,
  );
