import type { Page } from 'playwright-core';

/**
 * The texts of the regions of a page, by their names. To find a region by name, a browser computes the names of all regions, which takes
 * minutes for the hundreds of operations in an API; here each name is computed once.
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
