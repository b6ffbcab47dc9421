import { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { AppError, messageOf } from '../../../../../contract/errors.ts';
import { answerTooLarge } from './too-large.ts';
import type { UpstreamBody } from './upstream-body.ts';

/** Content codings by the names of HTTP. @see https://www.iana.org/assignments/http-parameters */
const DECODERS: Readonly<Record<string, () => NodeJS.ReadWriteStream>> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/** The gateway asks for no coding, but some servers, and proxies before them, compress every answer. */
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
  // The last coding was applied last.
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
  // What went wrong on the way is the better explanation of an answer that ends too early.
  source.once('error', (error: Error) => (broken = error));
  const decoder = create();
  source.once('error', () => decoder.end());
  try {
    for await (const chunk of source.pipe(decoder) as AsyncIterable<Buffer>) yield chunk;
  } catch (error) {
    throw broken ?? undecodable(coding, error);
  } finally {
    source.destroy();
  }
  if (broken) throw broken;
}

const undecodable = (coding: string, cause: unknown): AppError =>
  new AppError('MalformedError', `The answer cannot be decoded as ${coding}: ${messageOf(cause)}.`, {
    cause,
  });
