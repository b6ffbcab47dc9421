import type { Context } from 'hono';
import { AppError } from '../../contract/errors.ts';

/** The body of a request, of at most `limit` bytes. */
export async function readBytes(c: Context, limit: number): Promise<Uint8Array> {
  const announced = c.req.header('Content-Length');
  if (announced !== undefined && Number(announced) > limit) throw tooLarge(limit);
  try {
    // Node ends a body at its announced length; one without it has to be counted.
    if (announced !== undefined) return new Uint8Array(await c.req.raw.arrayBuffer());
    return await readCounted(c.req.raw.body, limit);
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw new AppError('CancelledError', 'The body ended too early.', { cause: error });
  }
}

async function readCounted(body: ReadableStream<Uint8Array> | null, limit: number): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge(limit);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

const tooLarge = (limit: number): AppError =>
  new AppError(
    'TooLargeError',
    `The body is larger than ${limit} bytes, the most this server takes. Send less at once, or start the server with a larger --max-body.`,
  );
