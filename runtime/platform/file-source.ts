import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ByteSource } from '#contract/container/byte-source.ts';
import { configError } from '#contract/errors.ts';
import { errorCode } from '#core/values/error-code.ts';

export interface FileSource extends ByteSource {
  close(): void;
}

/** Opens a file for random reads. */
export function openFileSource(path: string): FileSource {
  const fd = openFile(path);
  return {
    name: path,
    size: fstatSync(fd).size,
    readAt(offset, length) {
      const bytes = new Uint8Array(length);
      for (let done = 0; done < length;) {
        const count = readSync(fd, bytes, done, length - done, offset + done);
        if (count === 0)
          throw configError(
            `${path} was truncated while it was being read: it ends before byte ${offset + length}.`,
          );
        done += count;
      }
      return bytes;
    },
    close: () => closeSync(fd),
  };
}

/** Opens a file for random reads while `use` runs. */
export async function withFileSource<Result>(
  path: string,
  use: (source: ByteSource) => Result | Promise<Result>,
): Promise<Result> {
  const source = openFileSource(path);
  try {
    return await use(source);
  } finally {
    source.close();
  }
}

function openFile(path: string): number {
  try {
    const fd = openSync(path, 'r');
    if (!fstatSync(fd).isDirectory()) return fd;
    closeSync(fd);
  } catch (error) {
    const missing = errorCode(error) === 'ENOENT';
    throw configError(
      missing ? `No such file: ${path}` : `Cannot read ${path}: permission denied. Change its permissions.`,
      error,
    );
  }
  throw configError(`${path} is a folder. Pass a file.`);
}
