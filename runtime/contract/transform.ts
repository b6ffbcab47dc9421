/** Libraries of Lua that every transform has. */
export const ALWAYS_LIBRARIES = ['table', 'string', 'math', 'utf8'] as const;
/** Those that `lua_libs` adds; of `os` there are time, clock and date. No others exist: a transform has no files, no processes. */
const MORE_LIBRARIES = ['coroutine', 'os'] as const;
export const LIBRARY_NAMES = [...ALWAYS_LIBRARIES, ...MORE_LIBRARIES] as const;
export type LibraryName = (typeof LIBRARY_NAMES)[number];

/** What one run of a transform may use; the keys are those of `transform_limits`. */
export interface TransformLimits {
  /** Instructions of Lua's machine. */
  readonly instructions: number;
  /** Megabytes that the script may hold at once, tensors included. */
  readonly memory_mb: number;
  /** Seconds, for what takes long in few instructions. */
  readonly seconds: number;
}

export const DEFAULT_TRANSFORM_LIMITS: TransformLimits = {
  instructions: 100_000_000,
  memory_mb: 256,
  seconds: 10,
};

/** How a model's transform is to be run; the script itself is the section `transform`. */
export interface TransformSettings {
  /** What errors call the script: its file, or `transform`. */
  readonly name: string;
  /** The line of that file in which the script begins. */
  readonly firstLine: number;
  readonly libraries: readonly LibraryName[];
  readonly limits: TransformLimits;
}
