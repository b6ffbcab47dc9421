import type { Context } from 'hono';
import { AppError } from '../../contract/errors.ts';
import { waitFor } from '../../platform/wait-for.ts';

export interface ReadOptions {
  /** What to say of a larger body. */
  readonly tooLargeMessage?: ((limit: number) => string) | undefined;
  /** How long the body may take to arrive; without it as long as the server lets the whole request take. */
  readonly timeoutMs?: number | undefined;
}

/** The body of a request, of at most `limit` bytes. */
export async function readBytes(
  c: Context,
  limit: number,
  { tooLargeMessage = tooLarge, timeoutMs }: ReadOptions = {},
): Promise<Uint8Array> {
  const refusal = (): AppError => new AppError('TooLargeError', tooLargeMessage(limit));
  const announced = c.req.header('Content-Length');
  if (announced !== undefined && Number(announced) > limit) throw refusal();
  try {
    // Node ends a body at its announced length; one without it has to be counted.
    const reading = announced === undefined ? readCounted(c.req.raw.body, limit, refusal) : readWhole(c);
    return await (timeoutMs === undefined ? reading : waitFor(reading, { timeoutMs, late: bodyTooSlow }));
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw bodyCutShort(error);
  }
}

const readWhole = async (c: Context): Promise<Uint8Array> => new Uint8Array(await c.req.raw.arrayBuffer());

/** A body of unknown length, which is given up as soon as it is longer than `limit`. */
export async function readCounted(
  body: ReadableStream<Uint8Array> | null,
  limit: number,
  refusal: () => AppError,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw refusal();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

const tooLarge = (limit: number): string =>
  `Body too large: the maximum is ${limit} bytes. Send a smaller request, or start the server with a larger --max-body.`;

export const bodyTooSlow = (): AppError => new AppError('SlowRequestError', 'request body read timeout');

export const bodyCutShort = (cause?: unknown): AppError =>
  new AppError('CancelledError', 'The body was truncated.', { cause });
