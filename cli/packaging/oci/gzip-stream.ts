import { createGzip, type Gzip } from 'node:zlib';

/** Measured in docs/decisions/0053: higher levels are not worth their time. */
const LEVEL = 4;
const CHUNK = 1024 * 1024;

/** Compresses chunks. Each chunk is only valid until the next one is requested. */
export async function* gzipStream(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const gzip = createGzip({ level: LEVEL, chunkSize: CHUNK });
  const feeding = feed(gzip, chunks);
  try {
    for await (const chunk of gzip as AsyncIterable<Uint8Array>) yield chunk;
  } finally {
    gzip.destroy();
    await feeding;
  }
}

/** Never rejects: the reader of the stream receives an error in the source as an error of the stream. */
async function feed(gzip: Gzip, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    for await (const chunk of chunks) await write(gzip, chunk);
    gzip.end();
  } catch (error) {
    gzip.destroy(error instanceof Error ? error : new Error(String(error)));
  }
}

/** The callback runs once the chunk is compressed, so its buffer can be reused. */
async function write(gzip: Gzip, chunk: Uint8Array): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    gzip.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
