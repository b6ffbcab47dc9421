import { type BigIntStats, statSync } from 'node:fs';
import { errorCode } from '#core/values/error-code.ts';

/**
 * Returns a fingerprint of a file's state. Being missing or unreadable is also a state: this never
 * throws.
 */
export function fileState(path: string): string {
  const found = factsOf(path);
  return typeof found === 'string' ? found : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Whether a readable folder exists at the path. */
export function isFolder(path: string): boolean {
  const found = factsOf(path);
  return typeof found !== 'string' && found.isDirectory();
}

function factsOf(path: string): BigIntStats | string {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    return errorCode(error) ?? 'unknown';
  }
}
