import { dirname } from 'node:path';
import { configError, messageOf } from '#contract/errors.ts';

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

/**
 * Explains why Linux's loader cannot load a native library: the system lacks a library that it
 * links to, or has an older version. Undefined for any other cause. @internal
 */
export function explainMissingLibrary(
  error: unknown,
  searched = process.env['LD_LIBRARY_PATH'],
): Error | undefined {
  const message = messageOf(error);
  // A name without a folder is one that the loader searched for in the system's folders.
  const [, missing] = /^([^/:\s]+): cannot open shared object file/.exec(message) ?? [];
  if (missing !== undefined)
    return configError(
      `Cannot load the native libraries: this system has no ${missing}. Install glibc, libstdc++ and libgcc.`,
      error,
    );
  const [, old, version] = /^([^:\s]+): version `([^']+)' not found/.exec(message) ?? [];
  if (old === undefined) return undefined;
  const folder = dirname(old);
  if (searched?.split(':').includes(folder) === true) {
    return configError(
      `Cannot load the native libraries: ${old}, which is in LD_LIBRARY_PATH, has no ${version}. Remove ${folder} from LD_LIBRARY_PATH.`,
      error,
    );
  }
  return configError(
    `Cannot load the native libraries: this system's ${old} is too old and has no ${version}. Use a newer system.`,
    error,
  );
}
