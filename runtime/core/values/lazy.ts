/**
 * Returns a function that calls `make` the first time it is called, and returns the same value
 * every time.
 */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
