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

/** Maps in order with one item of work ahead: the next one is already being worked on while a result is consumed. */
export async function* mapAhead<T, U>(
  items: AsyncIterable<T>,
  map: (item: T) => Promise<U>,
): AsyncGenerator<U> {
  let ahead: Promise<U> | undefined;
  for await (const item of items) {
    const next = map(item);
    // Its failure is reported when it is awaited, a turn later.
    next.catch(() => {});
    if (ahead) yield await ahead;
    ahead = next;
  }
  if (ahead) yield await ahead;
}
