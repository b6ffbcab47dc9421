/** A table that was read from a file. Every row has as many cells as the header. */
export interface Csv {
  readonly header: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string;
}

const DELIMITERS = [',', ';', '\t'];

/** Reads CSV according to RFC 4180. The delimiter can also be a semicolon or a tab. */
export function readCsv(text: string): Csv {
  const content = text.replace(/^\uFEFF/, '');
  const first = content.slice(0, content.search(/\r?\n|$/));
  const delimiter =
    DELIMITERS.toSorted((one, other) => first.split(other).length - first.split(one).length)[0] ?? ',';
  const [header = [], ...rows] = recordsOf(content, delimiter);
  return {
    header: header.map((name, at) => name.trim() || `column ${at + 1}`),
    rows: rows.map((row) => header.map((_, at) => row[at] ?? '')),
    delimiter,
  };
}

/** One text per line. */
export const readLines = (text: string): Csv => ({
  header: ['text'],
  rows: text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => [line]),
  delimiter: ',',
});

function recordsOf(text: string, delimiter: string) {
  const records: string[][] = [];
  let record = [] as string[];
  let at = 0;
  const endRecord = () => {
    // A line without any cells is skipped.
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  };
  while (at < text.length) {
    const { cell, next } = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, delimiter);
    record.push(cell);
    at = next;
    if (text[at] === delimiter) {
      at += 1;
      // If the text ends with a delimiter, the last cell is empty.
      if (at < text.length && !/[\r\n]/.test(text[at] ?? '')) continue;
      record.push('');
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    endRecord();
  }
  return records;
}

function quotedCell(text: string, start: number) {
  let [cell, at] = ['', start + 1];
  for (;;) {
    const end = text.indexOf('"', at);
    if (end === -1) return { cell: cell + text.slice(at), next: text.length };
    cell += text.slice(at, end);
    if (text[end + 1] !== '"') return { cell, next: end + 1 };
    cell += '"';
    at = end + 2;
  }
}

function plainCell(text: string, start: number, delimiter: string) {
  let at = start;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return { cell: text.slice(start, at), next: at };
}

/** Formats a table as CSV with the delimiter of the original file. */
export const writeCsv = (records: readonly (readonly string[])[], delimiter: string) =>
  `${records.map((record) => record.map((cell) => quoted(cell, delimiter)).join(delimiter)).join('\r\n')}\r\n`;

const quoted = (cell: string, delimiter: string) =>
  cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
