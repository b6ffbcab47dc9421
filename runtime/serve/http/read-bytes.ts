import type { Context } from 'hono';
import { AppError } from '#contract/errors.ts';
import { waitFor } from '#platform/wait-for.ts';
import { holdOf } from '../memory/hold-of.ts';
import { ACCEPTED_ENCODINGS, bodyDecoder, type BodyGrowth } from './decode-body.ts';

export interface ReadOptions {
  /** Message for a body that is too large. */
  readonly tooLargeMessage?: ((limit: number) => string) | undefined;
  /** Timeout for the body in milliseconds. Default: the server's request timeout. */
  readonly timeoutMs?: number | undefined;
}

/** Reads and decompresses the body of a request, up to `limit` bytes in both forms. */
export async function readBytes(
  c: Context,
  limit: number,
  { tooLargeMessage, timeoutMs }: ReadOptions = {},
): Promise<Uint8Array> {
  const refusal = (): AppError => tooLargeError(limit, tooLargeMessage);
  const decode = decoderOf(c);
  const announced = c.req.header('Content-Length');
  if (announced !== undefined && Number(announced) > limit) throw refusal();
  const hold = holdOf(c);
  if (announced !== undefined) hold.take(Number(announced));
  try {
    // Node enforces an announced length; a body without one must be counted.
    const reading =
      announced === undefined
        ? readCounted(c.req.raw.body, { limit, tooLarge: refusal, hold })
        : readWhole(c);
    const body = await (timeoutMs === undefined
      ? reading
      : waitFor(reading, { timeoutMs, late: bodyTimeoutError }));
    return decode ? await decode(body, { limit, tooLarge: refusal, hold }) : body;
  } catch (error) {
    if (error instanceof AppError) throw error;
    throw truncatedBodyError(error);
  }
}

function decoderOf(c: Context): ReturnType<typeof bodyDecoder> {
  try {
    return bodyDecoder(c.req.header('Content-Encoding'));
  } catch (error) {
    // With this header, the client knows that the encoding is the problem, and not the content type.
    c.header('Accept-Encoding', ACCEPTED_ENCODINGS);
    throw error;
  }
}

const readWhole = async (c: Context): Promise<Uint8Array> => new Uint8Array(await c.req.raw.arrayBuffer());

/** Reads a body of unknown length and aborts as soon as it exceeds a limit. */
async function readCounted(
  body: ReadableStream<Uint8Array> | null,
  { limit, tooLarge, hold }: BodyGrowth,
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge();
    hold.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

const tooLargeText = (limit: number): string =>
  `Body too large: the maximum is ${limit} bytes. Send a smaller request, or start the server with a larger --max-body.`;

export const tooLargeError = (
  limit: number,
  message: ReadOptions['tooLargeMessage'] = tooLargeText,
): AppError => new AppError('TooLargeError', message(limit));

export const bodyTimeoutError = (): AppError => new AppError('SlowRequestError', 'request body read timeout');

export const truncatedBodyError = (cause?: unknown): AppError =>
  new AppError('CancelledError', 'The body was truncated.', { cause });
