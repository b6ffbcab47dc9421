import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, zstdDecompress } from 'node:zlib';
import { AppError } from '../../contract/errors.ts';
import { errorCode } from '../../core/values/error-code.ts';

interface Decoding {
  /** Maximum number of decoded bytes. */
  readonly limit: number;
  readonly tooLarge: () => AppError;
}

/** Decodes a body with at most `maxOutputLength` bytes, on a thread of Node's pool. */
type Decoder = (body: Uint8Array, options: { readonly maxOutputLength: number }) => Promise<Uint8Array>;

const zlibInflate = promisify(inflate);
const rawInflate = promisify(inflateRaw);
const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ['gzip', promisify(gunzip)],
  ['x-gzip', promisify(gunzip)],
  // Some clients send deflate without the header of zlib.
  ['deflate', (body, options) => (hasZlibHeader(body) ? zlibInflate : rawInflate)(body, options)],
  ['br', promisify(brotliDecompress)],
  ['zstd', promisify(zstdDecompress)],
]);

/** Value of `Accept-Encoding` in the response to a request with another encoding. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br, zstd';

/** Returns the decoder for a `Content-Encoding` header, undefined for a plain body. Throws an UnsupportedMediaError. */
export function bodyDecoder(
  header: string | null | undefined,
): ((body: Uint8Array, decoding: Decoding) => Promise<Uint8Array>) | undefined {
  const name = header?.trim().toLowerCase() ?? '';
  if (name === '' || name === 'identity') return undefined;
  const decode = DECODERS.get(name);
  if (!decode) {
    throw new AppError(
      'UnsupportedMediaError',
      `Unsupported content encoding ${JSON.stringify(name.slice(0, 100))}. Send the body uncompressed, or with one of ${ACCEPTED_ENCODINGS}.`,
    );
  }
  return async (body, { limit, tooLarge }) => {
    if (body.length === 0) return body;
    try {
      return await decode(body, { maxOutputLength: limit });
    } catch (error) {
      if (errorCode(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge();
      throw new AppError('MalformedError', `The body is not valid ${name}.`, { cause: error });
    }
  };
}

/** The method is 8, and the first two bytes are a multiple of 31. */
const hasZlibHeader = ([first = 0, second = 0]: Uint8Array): boolean =>
  (first & 0x0f) === 8 && ((first << 8) | second) % 31 === 0;
