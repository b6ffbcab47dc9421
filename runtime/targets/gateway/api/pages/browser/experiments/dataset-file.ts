/** Number of bytes to preview, which is enough for several rows with long texts. */
const PREVIEW_BYTES = 256 * 1024;
/** Number of bytes to preview if the first rows are longer, because they contain images. */
const LONG_PREVIEW_BYTES = 16 * 1024 * 1024;
const PREVIEW_ROWS = 5;

/** A file selected by the user, with its first rows. */
export interface DatasetFile {
  /** The first rows; empty if the browser cannot parse the file. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** The file with renamed columns. */
  readonly renamed: (names: ReadonlyMap<string, string>) => Promise<File>;
}

/** Reads the start of a dataset. Parquet files have no preview. */
export async function readDatasetFile(file: File): Promise<DatasetFile> {
  if (/\.parquet$/i.test(file.name)) return { columns: [], rows: [], renamed: async () => file };
  const text = await startOf(file);
  return /\.(jsonl|ndjson)$/i.test(file.name) ? readJsonLines(file, text) : readCsv(file, text);
}

/** The start of a file, with at least one whole row if its rows are not longer than images can be. */
async function startOf(file: File): Promise<string> {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  const text = decoder.decode(await file.slice(0, PREVIEW_BYTES).arrayBuffer());
  // In CSV, the first line contains the names of the columns.
  const hasRow = text.split('\n', 3).length > 2 || file.size <= PREVIEW_BYTES;
  return hasRow ? text : decoder.decode(await file.slice(0, LONG_PREVIEW_BYTES).arrayBuffer());
}

function readCsv(file: File, text: string): DatasetFile {
  const head = readCsvHead(text, PREVIEW_ROWS);
  return {
    columns: head.columns,
    rows: head.rows,
    async renamed(names) {
      if (names.size === 0) return file;
      const header = renamedHeader(head, renamedColumns(head.columns, names));
      // Everything after the first line is copied without being parsed, so that large files do not have to
      // be in memory.
      const from = new TextEncoder().encode(head.before + head.header).length;
      return new File([header, file.slice(from)], file.name);
    },
  };
}

function readJsonLines(file: File, text: string): DatasetFile {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  const objects = lines
    .slice(0, PREVIEW_ROWS)
    .map(objectIn)
    .filter((one) => one !== undefined);
  const columns = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  return {
    columns,
    rows: objects.map((one) => columns.map((name) => cellText(one[name]))),
    async renamed(names) {
      if (names.size === 0) return file;
      const all = (await file.text()).split('\n').map((line) => {
        const one = objectIn(line);
        // The server's error explains which lines are invalid.
        if (!one) return line;
        const keys = Object.keys(one);
        const renamed = renamedColumns(keys, names);
        return JSON.stringify(Object.fromEntries(keys.map((key, at) => [renamed[at] ?? key, one[key]])));
      });
      return new File([all.join('\n')], file.name);
    },
  };
}

/**
 * New column names. If the name of a column is assigned to another column, the former is renamed to
 * `<name>_original`.
 */
function renamedColumns(columns: readonly string[], names: ReadonlyMap<string, string>) {
  const taken = new Set(names.values());
  return columns.map((column) => {
    const name = names.get(column);
    if (name !== undefined) return name;
    return taken.has(column) ? `${column}_original` : column;
  });
}

function objectIn(line: string): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const cellText = (value: unknown) =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);

/** A CSV file's first rows. */
interface CsvHead {
  readonly separator: string;
  /** The text that precedes the header line, e.g. a line `sep=;`. */
  readonly before: string;
  /** The header line exactly as in the file. */
  readonly header: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const SEPARATORS = [',', ';', '\t', '|'];

/** Parses the start of a CSV file. Quoted cells can contain separators and line breaks. */
export function readCsvHead(text: string, maxRows: number): CsvHead {
  const [, before = '', named] = /^(\uFEFF?(?:sep=(.)\r?\n)?)/i.exec(text) ?? [];
  const rest = text.slice(before.length);
  const separator = named ?? likelySeparator(rest);
  const header = rest.slice(0, lineEnd(rest, 0));
  const rows = [] as string[][];
  let from = header.length;
  while (rows.length < maxRows && from < rest.length) {
    const end = lineEnd(rest, from);
    const line = rest.slice(from, end);
    // The last line may be truncated.
    if (end === rest.length && !line.endsWith('\n') && rows.length > 0) break;
    if (line.trim() !== '') rows.push(cellsOf(line, separator));
    from = end;
  }
  return { separator, before, header, columns: cellsOf(header, separator), rows };
}

/** The header line with new column names. */
export function renamedHeader({ separator, before, header }: CsvHead, names: readonly string[]) {
  const end = /\r?\n$/.exec(header)?.[0] ?? '';
  const quoted = names.map((name) => (/["\r\n,;\t|]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name));
  return before + quoted.join(separator) + end;
}

function likelySeparator(text: string) {
  const line = text.slice(0, lineEnd(text, 0));
  const counts = SEPARATORS.map((separator) => cellsOf(line, separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/** The position after the line break that ends the line; quoted cells can contain earlier line breaks. */
function lineEnd(text: string, from: number) {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === '\n' && !isQuoted) return at + 1;
  }
  return text.length;
}

function cellsOf(line: string, separator: string) {
  const cells = [''];
  let isQuoted = false;
  const text = line.replace(/\r?\n$/, '');
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? '';
    if (character === '"' && isQuoted && text[at + 1] === '"') {
      cells[cells.length - 1] += '"';
      at++;
    } else if (character === '"') isQuoted = !isQuoted;
    else if (character === separator && !isQuoted) cells.push('');
    else cells[cells.length - 1] += character;
  }
  return cells;
}
