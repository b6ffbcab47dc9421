import type { FileHandle } from 'node:fs/promises';

/** Reads bytes from a file. Throws an error if it has fewer. */
export async function readFileBytes(
  handle: FileHandle,
  position: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, position + filled);
    if (bytesRead === 0) throw new Error('it is truncated');
    filled += bytesRead;
  }
  return bytes;
}
