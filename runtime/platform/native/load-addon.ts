/** Loads a native addon from a path. `require` of a path is not there inside a single-file executable. */
export function loadAddon(path: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}
