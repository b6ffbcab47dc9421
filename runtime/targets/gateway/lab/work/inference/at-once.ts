/** Results in the order of the items, of which so many are under way at once. Rejects with the first rejection. */
export async function atOnce<Item, Result>(
  items: readonly Item[],
  most: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of entries) results[at] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, most), items.length) }, worker));
  return results;
}
