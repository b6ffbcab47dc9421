import type { Page } from 'playwright-core';

/**
 * The texts of the regions of a page, by their names. To find a region by its name, a browser computes the names of all, which takes
 * minutes for the hundreds of operations of an API; here each is computed once.
 */
export async function textsOfRegions(page: Page): Promise<ReadonlyMap<string, string>> {
  const regions = await page.getByRole('region').evaluateAll((nodes) =>
    nodes.map((node): [name: string, text: string] => {
      const label = node.getAttribute('aria-labelledby') ?? '';
      const name = node.ownerDocument.getElementById(label)?.textContent ?? node.getAttribute('aria-label');
      return [(name ?? '').trim().replaceAll(/\s+/g, ' '), node.innerText];
    }),
  );
  return new Map(regions);
}
