import type { ByteHold } from '#core/limits/byte-budget.ts';
import { bodyDecoder } from '#serve/http/decode-body.ts';
import { AppError, messageOf } from '#contract/errors.ts';
import type { RemoteResponse } from '../remote/remote-client.ts';

/** Encodings of bodies that are decoded. */
export const ACCEPT_ENCODING = 'gzip, deflate, br, zstd';

const NO_HOLD: ByteHold = { take: () => undefined, add: () => undefined, release: () => undefined };

/** Reads a body up to a limit, before and after decoding. Throws `tooLarge` beyond it. */
export async function readLimited(
  { body, headers }: Pick<RemoteResponse, 'body' | 'headers'>,
  limit: number,
  tooLarge: () => Error,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > limit) throw tooLarge();
    chunks.push(chunk);
  }
  const whole = Buffer.concat(chunks, bytes);
  const encoding = headers['content-encoding'];
  const isEncoded = typeof encoding === 'string' && encoding.trim() !== '';
  return isEncoded ? await decoded(whole, encoding, { limit, tooLarge }) : whole;
}

interface DecodeLimits {
  readonly limit: number;
  readonly tooLarge: () => Error;
}

async function decoded(
  body: Uint8Array,
  encoding: string,
  { limit, tooLarge }: DecodeLimits,
): Promise<Uint8Array> {
  let isTooLarge = false;
  const exceed = (): AppError => {
    isTooLarge = true;
    return new AppError('TooLargeError', 'The body is too large.');
  };
  try {
    return (await bodyDecoder(encoding)?.(body, { limit, tooLarge: exceed, hold: NO_HOLD })) ?? body;
  } catch (error) {
    // The errors of the decoder are written for clients of this program.
    throw isTooLarge
      ? tooLarge()
      : new Error(`the API returned a body that cannot be decoded: ${messageOf(error)}`);
  }
}
