import type { Page } from 'playwright-core';

/**
 * Runs in the page: records the time of the latest input event and the latest document change. An
 * interaction is complete when nothing is loading and the document has not changed for a while.
 */
export const TIMER_SCRIPT = `(() => {
  const QUIET_MS = 250;
  const TIMEOUT_MS = 20000;
  let input = 0;
  let change = 0;
  let ignored = '';
  for (const type of ['click', 'input', 'keydown'])
    addEventListener(type, (event) => { input = event.timeStamp; }, true);
  const counts = ({ target }) => {
    const node = target instanceof Element ? target : target.parentElement;
    return ignored === '' || !node?.closest(ignored);
  };
  new MutationObserver((records) => {
    if (records.some(counts)) change = performance.now();
  }).observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  globalThis.interaction = {
    start(selector) {
      ignored = selector;
      input = 0;
      change = 0;
    },
    end: () => new Promise((resolve, reject) => {
      const started = performance.now();
      const timer = setInterval(() => {
        const now = performance.now();
        const isLoading = document.querySelector('main .loading, [aria-busy]') !== null;
        if (input > 0 && change > input && !isLoading && now - change > QUIET_MS) resolve(change - input);
        else if (now - started > TIMEOUT_MS) reject(new Error('The page does not come to rest.'));
        else return;
        clearInterval(timer);
      }, 20);
    }),
  };
})()`;

/** Milliseconds from the input event of an action to the last document change. `ignored` selects parts that change on their own. */
export async function timed(page: Page, action: () => Promise<unknown>, ignored = ''): Promise<number> {
  await page.evaluate(`interaction.start(${JSON.stringify(ignored)})`);
  await action();
  return Number(await page.evaluate('interaction.end()'));
}
