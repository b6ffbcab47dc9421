import { type BigIntStats, statSync } from 'node:fs';

/** What tells one state of a file from another. Why there is none, or none to see, is a state too: this never throws. */
export function fileState(path: string): string {
  const found = factsOf(path);
  return typeof found === 'string' ? found : `${found.dev} ${found.ino} ${found.size} ${found.mtimeNs}`;
}

/** Whether there is a folder that can be seen. */
export function isFolder(path: string): boolean {
  const found = factsOf(path);
  return typeof found !== 'string' && found.isDirectory();
}

function factsOf(path: string): BigIntStats | string {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? 'unknown';
  }
}
