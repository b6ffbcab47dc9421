import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import type { ByteSource } from '../contract/container/byte-source.ts';
import { configError } from '../contract/errors.ts';

export interface FileSource extends ByteSource {
  close(): void;
}

/** Opens a file for random reads. */
export function openFileSource(path: string): FileSource {
  const fd = openSync(path, 'r');
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
