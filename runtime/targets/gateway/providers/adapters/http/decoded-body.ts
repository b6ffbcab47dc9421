import { type Duplex, Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { AppError, messageOf } from '#contract/errors.ts';
import { answerTooLarge } from './too-large.ts';
import type { UpstreamBody } from './upstream-body.ts';

/** Decoders by the names of HTTP's content codings. @see https://www.iana.org/assignments/http-parameters */
const DECODERS: Readonly<Record<string, () => Duplex>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** Decodes a compressed body. The gateway does not request compression, but some servers and proxies compress every answer. */
export function decodedBody(
  body: UpstreamBody,
  contentEncoding: string | readonly string[] | undefined,
): UpstreamBody {
  const codings = String(contentEncoding ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '' && name !== 'identity');
  if (codings.length === 0) return body;

  let pieces: AsyncIterable<Buffer> = piecesOf(body);
  // Codings are listed in the order in which they were applied, so the last one is decoded first.
  for (const name of codings.toReversed()) pieces = decoded(pieces, name);
  const iterator = pieces[Symbol.asyncIterator]();
  const next = async (): Promise<Buffer | undefined> => {
    const { done, value } = await iterator.next();
    return done ? undefined : value;
  };
  return {
    next,
    async collect(limit) {
      const chunks: Buffer[] = [];
      let bytes = 0;
      for (let chunk = await next(); chunk !== undefined; chunk = await next()) {
        bytes += chunk.length;
        if (bytes > limit) {
          body.destroy();
          throw answerTooLarge(limit);
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, bytes);
    },
    destroy: () => body.destroy(),
  };
}

async function* piecesOf(body: UpstreamBody): AsyncGenerator<Buffer> {
  for (let chunk = await body.next(); chunk !== undefined; chunk = await body.next()) yield chunk;
}

async function* decoded(pieces: AsyncIterable<Buffer>, coding: string): AsyncGenerator<Buffer> {
  const create = DECODERS[coding];
  if (!create) throw undecodable(coding, new Error('unknown content coding'));
  const source = Readable.from(pieces, { objectMode: false });
  let broken: Error | undefined;
  // An error of the connection explains a truncated answer better than the decoder's error.
  source.once('error', (error: Error) => (broken = error));
  const decoder = create();
  source.once('error', () => decoder.end());
  try {
    const decoded: AsyncIterable<Buffer> = source.pipe(decoder);
    for await (const chunk of decoded) yield chunk;
  } catch (error) {
    throw broken ?? undecodable(coding, error);
  } finally {
    source.destroy();
  }
  if (broken) throw broken;
}

const undecodable = (coding: string, cause: unknown): AppError =>
  new AppError('MalformedError', `Cannot decode the provider's response as ${coding}: ${messageOf(cause)}.`, {
    cause,
  });
