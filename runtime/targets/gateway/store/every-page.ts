import type { Page } from './page.ts';

const AT_ONCE = 1000;

/** All there are, however many. */
export async function everyPage<Item>(source: {
  list(page: Page): Promise<readonly Item[]>;
}): Promise<Item[]> {
  const all: Item[] = [];
  for (;;) {
    const page = await source.list({ skip: all.length, limit: AT_ONCE });
    all.push(...page);
    if (page.length < AT_ONCE) return all;
  }
}
