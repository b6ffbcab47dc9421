import { explainMissingLibrary } from './missing-library.ts';

/** Loads a native addon from a path. `require` with a path is not available in a single executable. */
export function loadAddon(path: string): unknown {
  const module = { exports: {} };
  try {
    process.dlopen(module, path);
  } catch (error) {
    throw explainMissingLibrary(error) ?? error;
  }
  return module.exports;
}
