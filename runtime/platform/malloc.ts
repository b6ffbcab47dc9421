import { withoutWarning } from './without-warning.ts';

/**
 * Returns memory that has been freed to the system. glibc keeps it for later: after the threads of a load have ended, tens of megabytes
 * (docs/decisions/0126). It takes milliseconds, so it is for pauses. Without effect on other systems.
 */
export function returnFreedMemory(): void {
  if (process.platform !== 'linux') return;
  try {
    const { dlopen } = withoutWarning(() => process.getBuiltinModule('node:ffi'));
    const { functions } = dlopen(null, { malloc_trim: { arguments: ['u64'], return: 'i32' } });
    functions.malloc_trim(0n);
  } catch {
    // Another C library does not have the function.
  }
}
