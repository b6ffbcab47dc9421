/** Runs a function for all items with limited concurrency. Returns results in the order of the items; rejects with the first error. */
export async function runConcurrently<Item, Result>(
  items: readonly Item[],
  limit: number,
  run: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [at, item] of entries) results[at] = await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(Math.max(1, limit), items.length) }, worker));
  return results;
}
