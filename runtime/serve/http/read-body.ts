import type { Context } from 'hono';
import { AppError, type ErrorCode } from '#contract/errors.ts';
import { waitFor } from '#platform/wait-for.ts';
import { holdOf } from '../request-memory.ts';
import { ACCEPTED_ENCODINGS, bodyDecoder, type BodyGrowth } from './decode-body.ts';
import type { IncomingMessage } from 'node:http';
import type { ByteHold } from '#core/limits/byte-budget.ts';
import { isUtf8 } from 'node:buffer';
import { explainJson } from '#core/json/explain-json.ts';
import { parseJsonText } from '#core/json/json-text.ts';
import { measureJson } from '#core/json/json-size.ts';
import type { Steps } from '#core/limits/steps.ts';

export interface ReadBytesOptions {
  /** Message for a body that is too large. */
  readonly tooLargeMessage?: ((limit: number) => string) | undefined;
  /** Timeout for the body in milliseconds. Default: the server's request timeout. */
  readonly timeoutMs?: number | undefined;
}

/** Reads and decompresses the body of a request, up to `limit` bytes in both forms. */
export async function readBytes(
  c: Context,
  limit: number,
  { tooLargeMessage, timeoutMs }: ReadBytesOptions = {},
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
  message: ReadBytesOptions['tooLargeMessage'] = tooLargeText,
): AppError => new AppError('TooLargeError', message(limit));

export const bodyTimeoutError = (): AppError => new AppError('SlowRequestError', 'request body read timeout');

export const truncatedBodyError = (cause?: unknown): AppError =>
  new AppError('CancelledError', 'The body was truncated.', { cause });

/** Reads the body of a request with a known length, which Node enforces. Throws if `hold` cannot have that many bytes. */
export function readIncoming(
  incoming: IncomingMessage,
  timeoutMs: number,
  hold: ByteHold,
): Promise<Uint8Array> {
  const length = Number(incoming.headers['content-length']);
  hold.take(length);
  // Most bodies arrive with the headers, before authentication is finished.
  if (incoming.readableLength === length) {
    const bytes: Buffer | null = incoming.read();
    incoming.resume();
    return Promise.resolve(bytes ?? Buffer.alloc(0));
  }
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => {
    reject(bodyTimeoutError());
  }, timeoutMs);
  const cut = (): void => {
    // Every request is closed in the end, and creating an error is more expensive than the rest of this handler.
    if (!incoming.complete) reject(truncatedBodyError());
  };
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => {
    const [only] = chunks;
    resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks));
  });
  incoming.once('error', cut);
  incoming.once('close', cut);
  // The request may have been cut off during authentication.
  if (incoming.destroyed) cut();
  return promise.finally(() => clearTimeout(timer));
}

export interface ParseOptions {
  /** Maximum nesting depth. Default: 64; requests to models have three or four levels. */
  readonly maxDepth?: number | undefined;
  /** Maximum number of values, counted with those in lists and objects. Default: a million. */
  readonly maxValues?: number | undefined;
  /** JSON parser. Default: `JSON.parse`. */
  readonly parse?: ((text: string) => unknown) | undefined;
}

const MAX_DEPTH = 64;
const MAX_VALUES = 1_000_000;

/**
 * Parses the bytes of a JSON text. Throws a MalformedError with the position of the first error. `hold` is charged with the memory
 * of lists and objects, which can need 30 times the bytes of their text. A step is one pass, or a part of one.
 */
export function* parseJson(
  bytes: Uint8Array,
  { maxDepth = MAX_DEPTH, maxValues = MAX_VALUES, parse = parseJsonText }: ParseOptions = {},
  hold?: ByteHold,
): Steps<unknown> {
  // Parsing millions of levels or values would take seconds and block the event loop.
  const size = yield* measureJson(bytes, { maxDepth, maxValues });
  if ('heapBytes' in size) hold?.take(size.heapBytes);
  else if (size.exceeds === 'maxDepth') {
    throw located(
      'InputError',
      `The body exceeds the maximum nesting depth of ${maxDepth} lists and objects.`,
    );
  } else {
    throw located('TooLargeError', `The body has more than ${maxValues} values. Send a smaller request.`);
  }
  if (!isUtf8(bytes)) throw located('MalformedError', 'The body is not valid UTF-8.');
  yield;
  const text = textOf(bytes);
  yield;
  try {
    return parse(text);
  } catch (error) {
    throw located('MalformedError', `The body is not valid JSON: ${explainJson(text, error)}`);
  }
}

/** Decodes the text without a byte order mark. */
function textOf({ buffer, byteOffset, length }: Uint8Array): string {
  const text = Buffer.from(buffer, byteOffset, length).toString('utf8');
  return text.startsWith('\uFEFF') ? text.slice(1) : text;
}

const located = (code: ErrorCode, message: string): AppError =>
  new AppError(code, message, { details: [{ location: 'body', message }] });
