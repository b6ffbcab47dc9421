/**
 * A table that was read from a file. Every row has as many cells as the header.
 * @typedef {{ header: readonly string[], rows: readonly (readonly string[])[], delimiter: string }} Csv
 */

const DELIMITERS = [',', ';', '\t'];

/**
 * Reads CSV as RFC 4180 describes, also with semicolons or tabs.
 * @param {string} text
 * @returns {Csv}
 */
export function readCsv(text) {
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

/**
 * One text per line.
 * @param {string} text
 * @returns {Csv}
 */
export const readLines = (text) => ({
  header: ['text'],
  rows: text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .filter((line) => line.trim() !== '')
    .map((line) => [line]),
  delimiter: ',',
});

/**
 * @param {string} text
 * @param {string} delimiter
 */
function recordsOf(text, delimiter) {
  /** @type {string[][]} */
  const records = [];
  let record = /** @type {string[]} */ ([]);
  let at = 0;
  const endRecord = () => {
    // A line without any cell separates nothing.
    if (record.length > 1 || record[0] !== '') records.push(record);
    record = [];
  };
  while (at < text.length) {
    const { cell, next } = text[at] === '"' ? quotedCell(text, at) : plainCell(text, at, delimiter);
    record.push(cell);
    at = next;
    if (text[at] === delimiter) {
      at += 1;
      // A delimiter at the end of the text starts one more, empty cell.
      if (at < text.length && !/[\r\n]/.test(text[at] ?? '')) continue;
      record.push('');
    }
    if (text[at] === '\r') at += 1;
    if (text[at] === '\n') at += 1;
    endRecord();
  }
  return records;
}

/**
 * @param {string} text
 * @param {number} start
 */
function quotedCell(text, start) {
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

/**
 * @param {string} text
 * @param {number} start
 * @param {string} delimiter
 */
function plainCell(text, start, delimiter) {
  let at = start;
  while (at < text.length && text[at] !== delimiter && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return { cell: text.slice(start, at), next: at };
}

/**
 * Writes CSV with the delimiter of the file that was read.
 * @param {readonly (readonly string[])[]} records
 * @param {string} delimiter
 */
export const writeCsv = (records, delimiter) =>
  `${records.map((record) => record.map((cell) => quoted(cell, delimiter)).join(delimiter)).join('\r\n')}\r\n`;

/**
 * @param {string} cell
 * @param {string} delimiter
 */
const quoted = (cell, delimiter) =>
  cell.includes(delimiter) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
