import type { Page } from './page.ts';

const PAGE_SIZE = 1000;

/** Returns all items of a paged list. */
export async function listAll<Item>(source: { list(page: Page): Promise<readonly Item[]> }): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const page = await source.list({ skip: all.length, limit: PAGE_SIZE });
    all.push(...page);
    if (page.length < PAGE_SIZE) return all;
  }
}
