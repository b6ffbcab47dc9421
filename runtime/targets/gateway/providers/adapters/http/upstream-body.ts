import type { Dispatcher } from 'undici';
import { Readable, type Duplex } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate, createZstdDecompress } from 'node:zlib';
import { AppError, messageOf } from '#contract/errors.ts';

/** The body of an answer. Its owner must read it to its end, in pieces or as a whole, or destroy it. */
export interface UpstreamBody {
  /** The next bytes; undefined at the end. Rejects if the connection broke or the body was destroyed. Never call it concurrently. */
  next(): Promise<Buffer | undefined>;
  /** The whole body. Rejects with a TooLargeError and stops reading if it has more than `limit` bytes. */
  collect(limit: number): Promise<Buffer>;
  /** Closes the connection, unless the body has ended. */
  destroy(): void;
}

/** The writing side of a body. */
export interface BodyWriter {
  readonly body: UpstreamBody;
  push(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** Bytes that are buffered for the reader; above it, reading from the provider pauses. */
const MAX_BUFFERED_BYTES = 128 * 1024;

/** Buffers a body. Node's streams could do this, but they cost more than the rest of a request. */
export function createUpstreamBody(controller: Dispatcher.DispatchController): BodyWriter {
  let chunks: Buffer[] = [];
  let bytes = 0;
  let limit = Infinity;
  let isWhole = false;
  let ended = false;
  let error: Error | undefined;
  let waiting: PromiseWithResolvers<void> | undefined;

  const wake = (): void => {
    waiting?.resolve();
    waiting = undefined;
  };
  const wait = (): Promise<void> => {
    waiting = Promise.withResolvers<void>();
    return waiting.promise;
  };
  const fail = (reason: Error): void => {
    error ??= reason;
    chunks = [];
    wake();
  };
  const abort = (reason: Error): void => {
    if (ended || error) return;
    fail(reason);
    controller.abort(reason);
  };

  const body: UpstreamBody = {
    async next() {
      if (chunks.length === 0 && !ended && !error) await wait();
      if (error) throw error;
      const chunk = chunks.shift();
      bytes -= chunk?.length ?? 0;
      if (controller.paused && bytes < MAX_BUFFERED_BYTES) controller.resume();
      return chunk;
    },
    async collect(maxBytes) {
      limit = maxBytes;
      isWhole = true;
      if (bytes > limit) abort(answerTooLarge(limit));
      if (controller.paused) controller.resume();
      if (!ended && !error) await wait();
      if (error) throw error;
      // A body that had arrived completely was not aborted above.
      if (bytes > limit) throw answerTooLarge(limit);
      const [only] = chunks;
      return chunks.length === 1 && only ? only : Buffer.concat(chunks, bytes);
    },
    destroy: () => abort(new Error('the body was discarded')),
  };
  return {
    body,
    push(chunk) {
      if (error) return;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limit) abort(answerTooLarge(limit));
      else if (!isWhole) {
        if (bytes >= MAX_BUFFERED_BYTES) controller.pause();
        wake();
      }
    },
    end() {
      ended = true;
      wake();
    },
    fail,
  };
}

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

const answerTooLarge = (limit: number): AppError =>
  new AppError(
    'TooLargeError',
    `The provider's response exceeds the maximum of ${limit} bytes. Raise \`max_response_bytes\` of the provider.`,
  );

/** Cancels one request, as an AbortController does, but with a single listener and at a tenth of the cost. */
export interface Waiter {
  readonly isCancelled: () => boolean;
  /** Called when the request is sent: from now on the provider can bill it. */
  readonly markSent: () => void;
  readonly isSent: () => boolean;
  /** Sets the listener, in place of the one before. Runs it immediately if the request is already cancelled. */
  readonly onCancel: (run: () => void) => void;
  readonly cancel: () => void;
}

export function createWaiter(): Waiter {
  let isCancelled = false;
  let isSent = false;
  let listener: (() => void) | undefined;
  return {
    isCancelled: () => isCancelled,
    markSent: () => void (isSent = true),
    isSent: () => isSent,
    onCancel(run) {
      listener = run;
      if (isCancelled) run();
    },
    cancel() {
      if (isCancelled) return;
      isCancelled = true;
      listener?.();
    },
  };
}
