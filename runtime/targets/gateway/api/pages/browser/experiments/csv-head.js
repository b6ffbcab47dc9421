/**
 * The first rows of a CSV file.
 * @typedef {object} CsvHead
 * @property {string} separator
 * @property {string} before what is in front of the line with the names, e.g. a line `sep=;`
 * @property {string} header that line as it is in the file
 * @property {readonly string[]} columns
 * @property {readonly (readonly string[])[]} rows
 */

const SEPARATORS = [',', ';', '\t', '|'];

/**
 * Reads the start of a CSV file. Cells in quotes can contain separators and line breaks.
 * @param {string} text
 * @param {number} maxRows
 * @returns {CsvHead}
 */
export function readCsvHead(text, maxRows) {
  const [, before = '', named] = /^(\uFEFF?(?:sep=(.)\r?\n)?)/i.exec(text) ?? [];
  const rest = text.slice(before.length);
  const separator = named ?? likelySeparator(rest);
  const header = rest.slice(0, lineEnd(rest, 0));
  const rows = /** @type {string[][]} */ ([]);
  let from = header.length;
  while (rows.length < maxRows && from < rest.length) {
    const end = lineEnd(rest, from);
    const line = rest.slice(from, end);
    // The last line can be cut.
    if (end === rest.length && !line.endsWith('\n') && rows.length > 0) break;
    if (line.trim() !== '') rows.push(cellsOf(line, separator));
    from = end;
  }
  return { separator, before, header, columns: cellsOf(header, separator), rows };
}

/**
 * The header with other names.
 * @param {CsvHead} head
 * @param {readonly string[]} names
 */
export function renamedHeader({ separator, before, header }, names) {
  const end = /\r?\n$/.exec(header)?.[0] ?? '';
  const quoted = names.map((name) => (/["\r\n,;\t|]/.test(name) ? `"${name.replaceAll('"', '""')}"` : name));
  return before + quoted.join(separator) + end;
}

/** @param {string} text */
function likelySeparator(text) {
  const line = text.slice(0, lineEnd(text, 0));
  const counts = SEPARATORS.map((separator) => cellsOf(line, separator).length);
  return SEPARATORS[counts.indexOf(Math.max(...counts))] ?? ',';
}

/**
 * The position behind the line break that ends the line, which quotes can extend.
 * @param {string} text
 * @param {number} from
 */
function lineEnd(text, from) {
  let isQuoted = false;
  for (let at = from; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === '\n' && !isQuoted) return at + 1;
  }
  return text.length;
}

/**
 * @param {string} line
 * @param {string} separator
 */
function cellsOf(line, separator) {
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
