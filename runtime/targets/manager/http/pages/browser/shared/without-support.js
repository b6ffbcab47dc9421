import { ServerError } from '../server.js';

/**
 * A server that does not support a kind of list has an empty one.
 * @param {() => Promise<any[]>} read
 */
export async function withoutSupport(read) {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ServerError && error.status === 501) return [];
    throw error;
  }
}
