/** @import { Session } from '../session.js' */
import { allOf } from './lists.js';

/**
 * Names of keys by their ids. A key that cannot list keys has none.
 * @param {Session} session
 * @param {AbortSignal} signal
 * @returns {Promise<Map<string, string>>}
 */
export async function keyNames(session, signal) {
  const keys = await allOf(session, 'v1/keys', signal).catch((error) => {
    if (error.status !== 403) throw error;
    return [];
  });
  return new Map(keys.map((key) => [key.id, key.key_name ?? `${key.key_prefix}…`]));
}
