import type { Page } from 'playwright-core';

/** Elements and attributes that only a hostile text could have created. */
const SELECTOR = [
  'body script',
  'body iframe',
  'body img:not([src^="data:image/"], [src^="blob:"])',
  '[onerror]',
  '[onload]',
  '[onclick]',
  'a[href^="javascript:" i]',
].join(', ');

/** Describes the elements that a hostile text has created on the page. */
export const injected = (page: Page): Promise<string[]> =>
  page
    .locator(SELECTOR)
    .evaluateAll((nodes) =>
      nodes.map((node) => `created by a text: ${String(node.outerHTML).slice(0, 120)}`),
    );
