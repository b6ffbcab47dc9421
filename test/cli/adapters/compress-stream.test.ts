import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { createGzip, gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { compressStream } from '#cli/adapters/compress-stream.ts';

/** Chunks that do not compress, and whether their source was closed. */
function source(count: number): { chunks: AsyncGenerator<Uint8Array>; isClosed: () => boolean } {
  let isClosed = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (let at = 0; at < count; at += 1) yield await Promise.resolve(randomBytes(100_000));
    } finally {
      isClosed = true;
    }
  }
  return { chunks: chunks(), isClosed: () => isClosed };
}

const gzip = () => createGzip({ level: 1, chunkSize: 1024 });

test('a reader that stops early closes the source', async () => {
  for (const readBefore of [0, 1, 2, 30]) {
    const { chunks, isClosed } = source(1000);
    let read = 0;
    for await (const chunk of compressStream(chunks, gzip())) {
      read += chunk.length;
      // A slow reader, until the compressor waits for it.
      await setTimeout(5);
      if (read >= readBefore * 1024) break;
    }
    expect(isClosed()).toBe(true);
  }
});

test('an error in the source reaches the reader', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield* source(3).chunks;
    throw new Error('the disk is gone');
  }
  const read = async (): Promise<void> => {
    for await (const chunk of compressStream(failing(), gzip())) expect(chunk.length).toBeGreaterThan(0);
  };
  await expect(read()).rejects.toThrow('the disk is gone');
});

test('everything is compressed, in order', async () => {
  const parts = [randomBytes(10), randomBytes(300_000), Buffer.alloc(1_000_000), randomBytes(1)];
  async function* all(): AsyncGenerator<Uint8Array> {
    for (const part of parts) yield await Promise.resolve(part);
  }
  const compressed: Uint8Array[] = [];
  for await (const chunk of compressStream(all(), gzip())) compressed.push(chunk);
  expect(gunzipSync(Buffer.concat(compressed)).equals(Buffer.concat(parts))).toBe(true);
});
