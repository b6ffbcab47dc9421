/** @import { ServerError } from './server.js' */
import { element } from './dom.js';

/**
 * What went wrong, as the server says it.
 * @param {ServerError} error
 */
export function errorNotice({ message, status }) {
  const title = status === 0 ? 'No response' : `Error ${status}`;
  return element('div', { class: 'notice' }, element('strong', {}, title), element('p', {}, message));
}
