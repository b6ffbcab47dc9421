const ROWS_PER_QUERY = 1000;

/** Reads a long list's rows with several queries: `read` returns the next rows after `last`, in order. */
export async function* rowsInParts<Row>(
  read: (last: Row | undefined, limit: number) => Promise<readonly Row[]>,
): AsyncGenerator<Row> {
  for (let last: Row | undefined; ;) {
    const rows = await read(last, ROWS_PER_QUERY);
    yield* rows;
    last = rows.at(-1);
    if (rows.length < ROWS_PER_QUERY) return;
  }
}
