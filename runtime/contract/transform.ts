/** Lua libraries that are available to every transform. */
export const ALWAYS_LIBRARIES = ['table', 'string', 'math', 'utf8'] as const;
/**
 * Libraries that `lua_libs` can add. `os` only contains `time`, `clock` and `date`. Other libraries
 * are not available, so a transform cannot access files or processes.
 */
const MORE_LIBRARIES = ['coroutine', 'os'] as const;
export const LIBRARY_NAMES = [...ALWAYS_LIBRARIES, ...MORE_LIBRARIES] as const;
export type LibraryName = (typeof LIBRARY_NAMES)[number];

/** Limits for one run of a transform, with the same keys as in `transform_limits`. */
export interface TransformLimits {
  /** Maximum number of instructions of the Lua virtual machine. */
  readonly instructions: number;
  /** Maximum memory in megabytes, tensors included. */
  readonly memory_mb: number;
  /**
   * Maximum run time in seconds. It is needed in addition to the number of instructions, because
   * even a few instructions can take long.
   */
  readonly seconds: number;
}

export const DEFAULT_TRANSFORM_LIMITS: TransformLimits = {
  instructions: 100_000_000,
  memory_mb: 256,
  seconds: 10,
};

/** Settings for running a model's transform. The script itself is stored in the section `transform`. */
export interface TransformSettings {
  /** Name of the script in errors: its file name, or `transform`. */
  readonly name: string;
  /** Line on which the script starts in its file. */
  readonly firstLine: number;
  readonly libraries: readonly LibraryName[];
  readonly limits: TransformLimits;
}
