import { failed, loading } from '#serve/http/pages/browser/components/states.ts';
import { element } from '#serve/http/pages/browser/dom.ts';
import { ServerError } from '#serve/http/pages/browser/server.ts';

/**
 * Part of a page that can be redrawn, e.g. for another time range. A later redraw cancels an earlier one.
 */
export function livePart(
  leaving: AbortSignal,
  draw: (signal: AbortSignal) => Promise<readonly Node[]>,
): HTMLElement & { refresh: () => Promise<void> } {
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

/** Calls a function repeatedly until the user leaves the page; pauses while the page is hidden. */
export function every(signal: AbortSignal, milliseconds: number, work: () => Promise<unknown>) {
  const timer = setInterval(() => {
    if (!document.hidden) void work();
  }, milliseconds);
  signal.addEventListener('abort', () => clearInterval(timer));
}
