/** Loads a native addon from a path. `require` with a path is not available in a single executable. */
export function loadAddon(path: string): unknown {
  const module = { exports: {} };
  process.dlopen(module, path);
  return module.exports;
}
