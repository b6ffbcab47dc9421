import { rename, rm } from 'node:fs/promises';

/** Renames a file to `<path>.1`, that file to `<path>.2` and so on, and deletes old files beyond `keep`. */
export async function rotateFile(path: string, keep: number): Promise<void> {
  const old = (number: number): string => (number === 0 ? path : `${path}.${number}`);
  await rm(old(keep), { force: true });
  for (let number = keep - 1; number >= 0; number -= 1) {
    await rename(old(number), old(number + 1)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
  }
}
