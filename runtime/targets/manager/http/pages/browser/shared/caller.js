/** @import { Session } from '../session.js' */
import { api } from './api.js';

/**
 * @typedef {object} Caller
 * @property {string} name
 * @property {boolean} admin
 * @property {boolean} adminReadOnly
 * @property {boolean} edit
 */

/**
 * Reads the permissions of the key. They decide which buttons a page shows; the server checks them again.
 * @param {Session} session
 * @param {AbortSignal} signal
 * @returns {Promise<Caller>}
 */
export async function readCaller(session, signal) {
  const { data } = await session.call(api('caller'), { signal });
  // A key whose admin permission is for reading changes nothing, whatever else it has.
  return { ...data, edit: data.edit && !data.adminReadOnly };
}

/** What a page shows instead of buttons that change something. */
export const EDIT_HINT =
  'Changes require a key with edit permission. Create one on the machine of the manager: mcp-manager keys create --name <name> --edit';
