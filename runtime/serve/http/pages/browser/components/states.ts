import type { ServerError } from '../server.ts';
import { element } from '../dom.ts';

/**
 * Placeholder for a section whose data is still loading. It appears after a short delay, so that it
 * does not flicker if the response is fast.
 */
export const loading = () =>
  element('p', { class: 'state loading', role: 'status' }, element('span', {}, 'Loading …'));

/**
 * Placeholder for a section without data. `words` explains why the section is empty. `way` is an
 * action with which the user can change that.
 */
export function empty(words: string, way?: { name: string; href?: string; run?: () => void }) {
  const node = element('div', { class: 'state' }, element('p', {}, words));
  if (way?.href !== undefined) node.append(element('a', { href: way.href }, way.name));
  else if (way) node.append(actionButton(way.name, way.run));
  return node;
}

/** Placeholder for a section whose data cannot be loaded. */
export function failed(error: ServerError | Error, retry?: () => void) {
  const status = 'status' in error ? error.status : 0;
  const notice = errorNotice({ message: error.message, status });
  notice.setAttribute('role', 'alert');
  if (retry) notice.append(actionButton('Try again', retry));
  return notice;
}

function actionButton(name: string, run: (() => void) | undefined) {
  const button = element('button', { type: 'button', class: 'quiet' }, name);
  button.addEventListener('click', () => run?.());
  return button;
}

/** Shows an error with the server's message. */
export function errorNotice({ message, status }: Pick<ServerError, 'message' | 'status'>) {
  const title = status === 0 ? 'No response' : `Error ${status}`;
  return element('div', { class: 'notice' }, element('strong', {}, title), element('p', {}, message));
}
