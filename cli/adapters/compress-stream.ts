import type { DeflateRaw, Gzip } from 'node:zlib';

/** Compresses chunks. Each chunk is only valid until the next one is requested. */
export async function* compressStream(
  chunks: AsyncIterable<Uint8Array>,
  compressor: Gzip | DeflateRaw,
): AsyncGenerator<Uint8Array> {
  const feeding = feed(compressor, chunks);
  try {
    for await (const chunk of compressor as AsyncIterable<Uint8Array>) yield chunk;
  } finally {
    compressor.destroy();
    await feeding;
  }
}

/** Never rejects: the reader of the stream receives an error in the source as an error of the stream. */
async function feed(compressor: Gzip | DeflateRaw, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of chunks) await write(compressor, chunk);
    compressor.end();
  } catch (error) {
    compressor.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/**
 * Resolves when the chunk is compressed, so that its buffer can be reused. The callback of a write never runs
 * if the compressor is destroyed while it waits for its reader.
 */
async function write(compressor: Gzip | DeflateRaw, chunk: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const onClose = (): void => reject(new Error('the reader stopped'));
    compressor.once('close', onClose);
    compressor.write(chunk, (error) => {
      compressor.off('close', onClose);
      if (error) reject(error);
      else resolve();
    });
  });
}
