/** @import { Wanted } from '../components/data-table.js' */

/**
 * Lets a table search and page rows that the server returns all together. Only one page of them is in the document.
 * @template Row
 * @param {() => Promise<readonly Row[]>} read called once
 * @param {(row: Row) => string} text what the filter `q` searches
 */
export function localRows(read, text) {
  /** @type {Promise<readonly Row[]> | undefined} */
  let reading;
  return async (/** @type {Wanted} */ { filters, cursor, limit }) => {
    reading ??= read();
    const all = await reading.catch((error) => {
      // The next attempt reads again.
      reading = undefined;
      throw error;
    });
    const words = (filters['q'] ?? '').toLowerCase().split(/\s+/).filter(Boolean);
    const found = all.filter((row) => {
      const searched = text(row).toLowerCase();
      return words.every((word) => searched.includes(word));
    });
    const start = Number(cursor ?? 0);
    const end = start + limit;
    return {
      rows: found.slice(start, end),
      total: found.length,
      next: end < found.length ? String(end) : undefined,
    };
  };
}
