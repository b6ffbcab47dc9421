import { readCsvHead, renamedHeader } from './csv-head.js';

/** Enough for some rows of long texts. */
const PREVIEW_BYTES = 256 * 1024;
const PREVIEW_ROWS = 5;

/**
 * A file that a user has chosen, with its first rows.
 * @typedef {object} DatasetFile
 * @property {readonly string[]} columns empty if the browser cannot read them
 * @property {readonly (readonly string[])[]} rows
 * @property {(names: ReadonlyMap<string, string>) => Promise<File>} renamed the file with other names of columns
 */

/**
 * Reads the start of a dataset. Parquet files have no preview.
 * @param {File} file
 * @returns {Promise<DatasetFile>}
 */
export async function readDatasetFile(file) {
  if (/\.parquet$/i.test(file.name)) return { columns: [], rows: [], renamed: async () => file };
  const bytes = await file.slice(0, PREVIEW_BYTES).arrayBuffer();
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);
  return /\.(jsonl|ndjson)$/i.test(file.name) ? readJsonLines(file, text) : readCsv(file, text);
}

/**
 * @param {File} file
 * @param {string} text
 * @returns {DatasetFile}
 */
function readCsv(file, text) {
  const head = readCsvHead(text, PREVIEW_ROWS);
  return {
    columns: head.columns,
    rows: head.rows,
    async renamed(names) {
      if (names.size === 0) return file;
      const header = renamedHeader(head, renamedColumns(head.columns, names));
      // Everything behind the first line is copied unread, so that large files need no memory.
      const from = new TextEncoder().encode(head.before + head.header).length;
      return new File([header, file.slice(from)], file.name);
    },
  };
}

/**
 * @param {File} file
 * @param {string} text
 * @returns {DatasetFile}
 */
function readJsonLines(file, text) {
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
        // The server explains invalid lines.
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
 * New names of columns. A column that already has a name that another one gets becomes `<name>_original`.
 * @param {readonly string[]} columns
 * @param {ReadonlyMap<string, string>} names
 */
export function renamedColumns(columns, names) {
  const taken = new Set(names.values());
  return columns.map((column) => {
    const name = names.get(column);
    if (name !== undefined) return name;
    return taken.has(column) ? `${column}_original` : column;
  });
}

/**
 * @param {string} line
 * @returns {Record<string, unknown> | undefined}
 */
function objectIn(line) {
  try {
    const value = JSON.parse(line);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** @param {unknown} value */
const cellText = (value) =>
  value === undefined || value === null ? '' : typeof value === 'string' ? value : JSON.stringify(value);
