/**
 * Makes arrays that are created with a length keep it, in the whole thread: adding an element throws. The library that decodes Parquet
 * writes as many values as a run in a page has, also after the end of its array, which then grows until V8 ends the process.
 */
export function fixArrays(): void {
  globalThis.Array = new Proxy(Array, {
    construct(target, values: [unknown], newTarget) {
      const made = Reflect.construct(target, values, newTarget) as unknown[];
      return values.length === 1 && made.length > 0 ? Object.preventExtensions(made.fill(undefined)) : made;
    },
  });
}
