import { mkdir, open, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { newSha256 } from '#platform/sha256.ts';
import { blobPath, type Descriptor } from './descriptor.ts';

/** The blobs of a layout that is being written. A blob is named by the hash of its content, which is known at its end. */
export interface BlobFolder {
  readonly write: (mediaType: string, chunks: AsyncIterable<Uint8Array>) => Promise<Descriptor>;
  readonly writeJson: (mediaType: string, value: unknown) => Promise<Descriptor>;
}

export async function createBlobFolder(layout: string): Promise<BlobFolder> {
  await mkdir(join(layout, 'blobs', 'sha256'), { recursive: true });
  const write: BlobFolder['write'] = async (mediaType, chunks) => {
    const unnamed = join(layout, 'blobs', 'unnamed');
    const hash = newSha256();
    let size = 0;
    const file = await open(unnamed, 'w');
    try {
      for await (const chunk of chunks) {
        // Hashes while writing: the write happens on another thread.
        const writing = file.writeFile(chunk);
        hash.update(chunk);
        await writing;
        size += chunk.length;
      }
      await file.sync();
    } finally {
      await file.close();
    }
    const digest = `sha256:${hash.hex()}`;
    await rename(unnamed, join(layout, blobPath(digest)));
    return { mediaType, digest, size };
  };
  return {
    write,
    writeJson: async (mediaType, value) =>
      await write(mediaType, single(new TextEncoder().encode(JSON.stringify(value)))),
  };
}

async function* single(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield await Promise.resolve(bytes);
}
