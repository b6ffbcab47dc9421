/** @import { Session } from '../session.js' */
import { element } from '../dom.js';

/**
 * Downloads the report of an experiment. A link would not send the API key.
 * @param {Session} session
 * @param {string} path of the experiment
 * @param {string} name
 */
export async function downloadReport(session, path, name) {
  const response = await session.open(`${path}/report`);
  const address = URL.createObjectURL(await response.blob());
  element('a', { href: address, download: `${name}.html` }).click();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
