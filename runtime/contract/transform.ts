/** Lua libraries that are available to every transform. */
export const ALWAYS_LIBRARIES = ['table', 'string', 'math', 'utf8'] as const;
/**
 * Libraries that `lua_libs` can add; `os` only has time, clock and date. There are no others: a
 * transform cannot access files or processes.
 */
const MORE_LIBRARIES = ['coroutine', 'os'] as const;
export const LIBRARY_NAMES = [...ALWAYS_LIBRARIES, ...MORE_LIBRARIES] as const;
export type LibraryName = (typeof LIBRARY_NAMES)[number];

/** Limits of one run of a transform; the keys are those of `transform_limits`. */
export interface TransformLimits {
  /** Maximum number of instructions of the Lua virtual machine. */
  readonly instructions: number;
  /** Maximum memory in megabytes, tensors included. */
  readonly memory_mb: number;
  /** Maximum run time in seconds, because even few instructions can take long. */
  readonly seconds: number;
}

export const DEFAULT_TRANSFORM_LIMITS: TransformLimits = {
  instructions: 100_000_000,
  memory_mb: 256,
  seconds: 10,
};

/** How a model's transform is run; the script itself is the section `transform`. */
export interface TransformSettings {
  /** Name of the script in errors: its file, or `transform`. */
  readonly name: string;
  /** Line of that file on which the script starts. */
  readonly firstLine: number;
  readonly libraries: readonly LibraryName[];
  readonly limits: TransformLimits;
}
