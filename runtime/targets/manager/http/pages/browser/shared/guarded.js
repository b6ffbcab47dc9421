import { errorNotice } from '../notice.js';
import { ServerError } from '../server.js';

/**
 * Runs something that the server can refuse, and shows the reason in a part of the page.
 * @param {HTMLElement} notice
 * @param {() => Promise<void>} run
 */
export async function guarded(notice, run) {
  notice.replaceChildren();
  try {
    await run();
  } catch (error) {
    if (!(error instanceof ServerError)) throw error;
    const shown = errorNotice(error);
    shown.setAttribute('role', 'alert');
    notice.replaceChildren(shown);
  }
}
