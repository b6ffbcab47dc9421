import { newSha256 } from '#platform/sha256.ts';
import type { BlobFolder } from './blob-folder.ts';
import { type Descriptor, MEDIA } from './descriptor.ts';
import { gzipStream } from './gzip-stream.ts';
import { type TarEntry, tarStream } from './tar-stream.ts';

/** A layer in a layout. `diffId` is the digest of the uncompressed archive. */
export interface Layer {
  readonly descriptor: Descriptor;
  readonly diffId: string;
}

/** Writes a layer in one pass: archive, hash, compress, hash. */
export async function writeLayer(
  blobs: BlobFolder,
  entries: Iterable<TarEntry>,
  onBytes: (done: number) => void,
): Promise<Layer> {
  const hash = newSha256();
  let done = 0;
  async function* hashed(): AsyncGenerator<Uint8Array> {
    for await (const chunk of tarStream(entries)) {
      hash.update(chunk);
      yield chunk;
      done += chunk.length;
      onBytes(done);
    }
  }
  const descriptor = await blobs.write(MEDIA.gzipLayer, gzipStream(hashed()));
  return { descriptor, diffId: `sha256:${hash.hex()}` };
}
