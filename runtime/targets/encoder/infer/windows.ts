/** Groups a stream into lists of at most `size`, in order. */
export async function* windows<T>(items: AsyncIterable<T>, size: number): AsyncGenerator<T[]> {
  let window: T[] = [];
  for await (const item of items) {
    window.push(item);
    if (window.length === size) {
      yield window;
      window = [];
    }
  }
  if (window.length > 0) yield window;
}

/** Maps in order and works one item ahead: the next item is processed while the caller consumes a result. */
export async function* mapAhead<T, U>(
  items: AsyncIterable<T>,
  map: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  let ahead: Promise<U> | undefined;
  for await (const item of items) {
    const next = map(item);
    // The failure is reported when it is awaited, in the next turn.
    next.catch(() => {});
    if (ahead) yield await ahead;
    ahead = next;
  }
  if (ahead) yield await ahead;
}
