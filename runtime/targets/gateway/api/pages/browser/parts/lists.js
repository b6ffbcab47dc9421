/** @import { Session } from '../session.js' */

/**
 * A loader of a data table for a list of the API that is read with `skip` and `limit`.
 * @param {Session} session
 * @param {string} path
 * @param {Record<string, string>} [fixed] parameters of every page
 */
export const pagesOf =
  (session, path, fixed = {}) =>
  async (
    /** @type {import('../components/data-table.js').Wanted} */ { sort, filters, cursor, limit, signal },
  ) => {
    const skip = Number(cursor ?? 0);
    const { data } = await session.call(path, {
      query: { ...fixed, ...filters, ...(sort === '' ? {} : { sort }), skip, limit },
      signal,
    });
    const rows = Array.isArray(data) ? data : data.items;
    return {
      rows,
      next: rows.length === limit ? String(skip + limit) : undefined,
      total: Array.isArray(data) ? undefined : data.total,
    };
  };

/**
 * All items of a list, e.g. to select one of them.
 * @param {Session} session
 * @param {string} path
 * @param {AbortSignal} signal
 * @returns {Promise<any[]>}
 */
export async function allOf(session, path, signal) {
  const limit = 1000;
  const { data } = await session.call(path, { query: { limit }, signal });
  return data;
}
