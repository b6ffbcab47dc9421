import type { Transform } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createInflateRaw,
  createZstdDecompress,
} from 'node:zlib';
import { AppError } from '#contract/errors.ts';
import type { ByteHold } from '#core/limits/byte-budget.ts';

/** Limits for a body of unknown length while it is being received. */
export interface BodyGrowth {
  /** Maximum number of bytes. */
  readonly limit: number;
  readonly tooLarge: () => AppError;
  readonly hold: ByteHold;
}

/** Chunks are large, because each chunk takes a turn of the event loop. */
const OPTIONS = { chunkSize: 256 * 1024 };

const DECODERS: ReadonlyMap<string, (body: Uint8Array) => Transform> = new Map<
  string,
  (body: Uint8Array) => Transform
>([
  ['gzip', () => createGunzip(OPTIONS)],
  ['x-gzip', () => createGunzip(OPTIONS)],
  // Some clients send deflate without the zlib header.
  ['deflate', (body) => (hasZlibHeader(body) ? createInflate(OPTIONS) : createInflateRaw(OPTIONS))],
  ['br', () => createBrotliDecompress(OPTIONS)],
  ['zstd', () => createZstdDecompress(OPTIONS)],
]);

/**
 * Maximum ratio of decoded to encoded bytes, for bodies above this size. JSON of chats has a ratio
 * of 3 to 20; a decompression bomb has a thousand or more.
 */
const MAX_RATIO = 100;
const RATIO_MATTERS_ABOVE = 4 * 1024 * 1024;

/** Value of the `Accept-Encoding` header in the response to a request with an unsupported encoding. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

/**
 * Returns the decoder for a `Content-Encoding` header; undefined if the body is not encoded. Throws
 * an UnsupportedMediaError if the encoding is not supported.
 */
export function bodyDecoder(
  header: string | null | undefined,
): ((body: Uint8Array, growth: BodyGrowth) => Promise<Uint8Array<ArrayBuffer>>) | undefined {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  const decode = DECODERS.get(name);
  if (!decode) {
    throw new AppError(
      'UnsupportedMediaError',
      `Unsupported content encoding ${JSON.stringify(name.slice(0, 100))}. Send the body uncompressed, or use one of ${ACCEPTED_ENCODINGS}.`,
    );
  }
  return async (body, growth) => {
    if (body.length === 0) return new Uint8Array();
    try {
      return await decodeAll(body, decode(body), growth);
    } catch (error) {
      if (error instanceof AppError) throw error;
      throw new AppError('MalformedError', `The body is not valid ${name}.`, { cause: error });
    }
  };
}

/** Decodes the body in Node's thread pool, and stops as soon as the result is too large. */
async function decodeAll(
  body: Uint8Array,
  decoder: Transform,
  { limit, tooLarge, hold }: BodyGrowth,
): Promise<Uint8Array<ArrayBuffer>> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  decoder.end(body);
  for await (const chunk of decoder as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge();
    if (bytes > RATIO_MATTERS_ABOVE && bytes > body.length * MAX_RATIO) throw tooDense(body.length);
    hold.take(chunk.length);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks, bytes);
}

const tooDense = (encodedBytes: number): AppError =>
  new AppError(
    'TooLargeError',
    `The body of ${encodedBytes} bytes decodes to more than ${MAX_RATIO} times its size. Send it uncompressed.`,
  );

/**
 * Detects the zlib header: the compression method is 8, and the first two bytes as a number are a
 * multiple of 31.
 */
const hasZlibHeader = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
