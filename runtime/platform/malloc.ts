/**
 * Makes glibc return large blocks to the system as soon as they are freed. By default, it keeps them after the first ones have been
 * freed, and their memory stays with the process. Its environment variables are read before a program starts, so an executable
 * cannot set them for itself.
 */
export function returnLargeBlocks(): void {
  openMalloc()?.mallopt(M_MMAP_THRESHOLD, LARGE_BLOCK_BYTES);
}

/** Returns the memory of freed blocks between used ones to the system. It takes milliseconds, so it is for pauses. */
export function returnFreedMemory(): void {
  openMalloc()?.malloc_trim(0n);
}

/** From glibc's malloc.h. */
const M_MMAP_THRESHOLD = -3;
/** Smaller blocks are not worth a system call each. */
const LARGE_BLOCK_BYTES = 256 * 1024;

interface Malloc {
  readonly mallopt: (parameter: number, value: number) => number;
  readonly malloc_trim: (padding: bigint) => number;
}

/** The functions of glibc; undefined where the C library has none. */
function openMalloc(): Malloc | undefined {
  if (process.platform !== 'linux') return undefined;
  try {
    const { dlopen } = withoutWarning(() => process.getBuiltinModule('node:ffi'));
    return dlopen(null, {
      mallopt: { arguments: ['i32', 'i32'], return: 'i32' },
      malloc_trim: { arguments: ['u64'], return: 'i32' },
    }).functions;
  } catch {
    return undefined;
  }
}

/** Node warns once that the module is experimental. An executable contains the version of Node that it was tested with. */
function withoutWarning<Result>(load: () => Result): Result {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    process.emitWarning = emitWarning;
  }
}
