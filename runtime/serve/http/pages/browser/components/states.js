/** @import { ServerError } from '../server.js' */
import { element } from '../dom.js';
import { errorNotice } from '../notice.js';

/** What a part shows until its data is there. It appears after a moment, so that fast answers do not flicker. */
export const loading = () =>
  element('p', { class: 'state loading', role: 'status' }, element('span', {}, 'Loading …'));

/**
 * What a part shows if it has no data.
 * @param {string} words why it is empty
 * @param {{ name: string, href?: string, run?: () => void }} [way] what the user can do about it
 */
export function empty(words, way) {
  const node = element('div', { class: 'state' }, element('p', {}, words));
  if (way?.href !== undefined) node.append(element('a', { href: way.href }, way.name));
  else if (way) node.append(actionButton(way.name, way.run));
  return node;
}

/**
 * What a part shows if its data cannot be loaded.
 * @param {ServerError | Error} error
 * @param {() => void} [retry]
 */
export function failed(error, retry) {
  const status = 'status' in error ? error.status : 0;
  const notice = errorNotice({ message: error.message, status });
  notice.setAttribute('role', 'alert');
  if (retry) notice.append(actionButton('Try again', retry));
  return notice;
}

/**
 * @param {string} name
 * @param {(() => void) | undefined} run
 */
function actionButton(name, run) {
  const button = element('button', { type: 'button', class: 'quiet' }, name);
  button.addEventListener('click', () => run?.());
  return button;
}
