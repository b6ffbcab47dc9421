import { open } from 'node:fs/promises';
import type { FileRange } from '#platform/read-chunks.ts';

/** A single call reads at most 2 GiB. */
const MAX_READ_BYTES = 1024 ** 3;

/** Reads a part of a file into memory that threads share, while this thread continues. */
export async function readTable({ path, offset, length }: FileRange): Promise<SharedArrayBuffer> {
  const shared = new SharedArrayBuffer(length);
  const bytes = new Uint8Array(shared);
  const file = await open(path, 'r');
  try {
    for (let at = 0; at < length;) {
      const { bytesRead } = await file.read(bytes, at, Math.min(MAX_READ_BYTES, length - at), offset + at);
      if (bytesRead === 0) throw new Error(`${path} was truncated while it was being read`);
      at += bytesRead;
    }
  } finally {
    await file.close();
  }
  return shared;
}
