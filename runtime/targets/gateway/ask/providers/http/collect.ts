import type { Readable } from 'node:stream';
import { AppError } from '../../../../../contract/errors.ts';

/** All of a body. Throws a TooLargeError, and reads no further, if that is more than `limit` bytes. */
export async function collect(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > limit) {
      throw new AppError(
        'TooLargeError',
        `The provider's answer has more than ${limit} bytes, the most we take.`,
      );
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks, bytes);
}
