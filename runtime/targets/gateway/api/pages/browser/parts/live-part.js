import { failed, loading } from '../components/states.js';
import { element } from '../dom.js';
import { ServerError } from '../server.js';

/**
 * A part of a page that is drawn again, e.g. for another range. A later draw ends an earlier one.
 * @param {AbortSignal} leaving
 * @param {(signal: AbortSignal) => Promise<readonly Node[]>} draw
 * @returns {HTMLElement & { refresh: () => Promise<void> }}
 */
export function livePart(leaving, draw) {
  const node = element('div', { class: 'page' }, loading());
  let running = new AbortController();
  leaving.addEventListener('abort', () => running.abort());

  async function refresh() {
    running.abort();
    running = new AbortController();
    const { signal } = running;
    node.setAttribute('aria-busy', 'true');
    try {
      const nodes = await draw(signal);
      if (!signal.aborted) node.replaceChildren(...nodes);
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof ServerError)) throw error;
      node.replaceChildren(failed(error, () => void refresh()));
    } finally {
      if (!signal.aborted) node.removeAttribute('aria-busy');
    }
  }
  void refresh();
  return Object.assign(node, { refresh });
}

/**
 * Repeats work until the user leaves the page. It waits while the page is hidden.
 * @param {AbortSignal} signal
 * @param {number} milliseconds
 * @param {() => Promise<unknown>} work
 */
export function every(signal, milliseconds, work) {
  const timer = setInterval(() => {
    if (!document.hidden) void work();
  }, milliseconds);
  signal.addEventListener('abort', () => clearInterval(timer));
}
