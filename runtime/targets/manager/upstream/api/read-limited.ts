import type { ByteHold } from '#core/limits/byte-budget.ts';
import { bodyDecoder } from '#serve/http/decode-body.ts';
import type { AppError } from '#contract/errors.ts';
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
  const decode = bodyDecoder(typeof encoding === 'string' ? encoding : undefined);
  return decode ? await decode(whole, { limit, tooLarge: tooLarge as () => AppError, hold: NO_HOLD }) : whole;
}
