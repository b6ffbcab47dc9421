import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { gzipStream } from '#cli/packaging/oci/gzip-stream.ts';

/** Bytes without a pattern, identical in every run. */
function noise(length: number, seed: number): Uint8Array {
  const blocks = Array.from({ length: Math.ceil(length / 32) }, (_, index) =>
    createHash('sha256').update(`${seed} ${index}`).digest(),
  );
  return Buffer.concat(blocks).subarray(0, length);
}

const CHUNKS = [
  new Uint8Array(300_000).fill(7),
  noise(300_000, 1),
  noise(10, 2),
  new Uint8Array(),
  noise(300_000, 3),
  new Uint8Array(300_000).fill(8),
];

/** Yields chunks in one reused buffer, like a file stream. */
async function* reused(): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(300_000);
  for (const chunk of CHUNKS) {
    buffer.set(chunk);
    yield await Promise.resolve(buffer.subarray(0, chunk.length));
    buffer.fill(0);
  }
}

async function compressed(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const part of gzipStream(chunks)) parts.push(part.slice());
  return Buffer.concat(parts);
}

it('compresses chunks of any size to reproducible bytes', async () => {
  const bytes = await compressed(reused());
  expect(gunzipSync(bytes).equals(Buffer.concat(CHUNKS))).toBe(true);
  expect(bytes.length).toBeGreaterThan(600_000);
  expect(bytes.length).toBeLessThan(605_000);
  expect((await compressed(reused())).equals(bytes)).toBe(true);
});

it('forwards an error of its source', async () => {
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield await Promise.resolve(noise(100_000, 1));
    throw new Error('cannot read');
  }
  await expect(compressed(failing())).rejects.toThrow('cannot read');
});

it('closes its source when its reader stops', async () => {
  let isClosed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (let seed = 0; ; seed++) yield await Promise.resolve(noise(100_000, seed));
    } finally {
      isClosed = true;
    }
  }
  for await (const part of gzipStream(endless())) {
    expect(part.length).toBeGreaterThan(0);
    break;
  }
  expect(isClosed).toBe(true);
});
