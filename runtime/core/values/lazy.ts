/** Returns a function that calls `make` on its first call, and returns the same value on each call. */
export function lazy<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
