/**
 * Returns memory that has been freed to the system. glibc keeps it for later: after the threads of a load have ended, tens of megabytes
 * (docs/decisions/0126). It takes milliseconds, so it is for pauses. Without effect on other systems.
 */
export function returnFreedMemory(): void {
  callMalloc('malloc_trim', ['u64'], (trim) => trim(0n));
}

/** Options of glibc's `mallopt`. */
const M_TRIM_THRESHOLD = -1;
const M_MMAP_THRESHOLD = -3;
const M_ARENA_MAX = -8;
const THRESHOLD_BYTES = 65_536;

/**
 * Lets glibc return freed memory to the system soon, as its environment variables would (docs/decisions/0121). For servers whose memory is
 * mostly that of Node; computations in large arrays become slower. Without effect on other systems.
 */
export function keepLittleFreedMemory(): void {
  callMalloc('mallopt', ['i32', 'i32'], (set) => {
    set(M_ARENA_MAX, 1);
    set(M_TRIM_THRESHOLD, THRESHOLD_BYTES);
    set(M_MMAP_THRESHOLD, THRESHOLD_BYTES);
  });
}

type NativeFunction = (...values: (number | bigint)[]) => unknown;

/** Another C library does not have the function; then nothing is called. */
function callMalloc(name: string, parameters: string[], use: (call: NativeFunction) => void): void {
  if (process.platform !== 'linux') return;
  try {
    const { dlopen } = withoutWarning(() => process.getBuiltinModule('node:ffi'));
    const { functions } = dlopen(null, { [name]: { arguments: parameters, return: 'i32' } });
    const found: NativeFunction | undefined = functions[name];
    if (found) use(found);
  } catch {
    // The memory stays as it is.
  }
}

/** Node warns once that the module is experimental. An executable contains the version of Node that it was tested with. */
function withoutWarning<Result>(load: () => Result): Result {
  const emitWarning = Object.getOwnPropertyDescriptor(process, 'emitWarning');
  process.emitWarning = () => {};
  try {
    return load();
  } finally {
    if (emitWarning) Object.defineProperty(process, 'emitWarning', emitWarning);
  }
}
