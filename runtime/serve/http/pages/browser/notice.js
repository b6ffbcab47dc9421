/** @import { ServerError } from './server.js' */
import { element } from './dom.js';

/**
 * Shows an error with the server's message.
 * @param {Pick<ServerError, 'message' | 'status'>} error
 */
export function errorNotice({ message, status }) {
  const title = status === 0 ? 'No response' : `Error ${status}`;
  return element('div', { class: 'notice' }, element('strong', {}, title), element('p', {}, message));
}
