import { withoutWarning } from './without-warning.ts';

/**
 * Returns freed memory to the system. glibc otherwise keeps freed memory for later use, for example
 * tens of megabytes after the threads of a load test have ended (docs/decisions/0126). Takes
 * milliseconds, so call it during pauses. No effect on other systems.
 */
export function returnFreedMemory(): void {
  if (process.platform !== 'linux') return;
  try {
    const { dlopen } = withoutWarning(() => process.getBuiltinModule('node:ffi'));
    const { functions } = dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    functions.malloc_trim(0n);
  } catch {
    // Other C libraries do not have this function.
  }
}
