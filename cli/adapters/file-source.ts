import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ByteSource } from '../../runtime/contract/container/byte-source.ts';
import { configError } from '../../runtime/contract/errors.ts';

/** Opens a file for random reads while `use` runs. */
export async function withFileSource<Result>(
  path: string,
  use: (source: ByteSource) => Result | Promise<Result>,
): Promise<Result> {
  const fd = openFile(path);
  try {
    return await use({
      name: path,
      size: fstatSync(fd).size,
      readAt(offset, length) {
        const bytes = new Uint8Array(length);
        if (readSync(fd, bytes, 0, length, offset) !== length) {
          throw configError(`${path} is truncated: it ends before byte ${offset + length}.`);
        }
        return bytes;
      },
    });
  } finally {
    closeSync(fd);
  }
}

function openFile(path: string): number {
  try {
    const fd = openSync(path, 'r');
    if (!fstatSync(fd).isDirectory()) return fd;
    closeSync(fd);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    throw configError(
      missing ? `No such file: ${path}` : `Cannot read ${path}: permission denied. Change its permissions.`,
      error,
    );
  }
  throw configError(`${path} is a folder. Pass a file.`);
}
