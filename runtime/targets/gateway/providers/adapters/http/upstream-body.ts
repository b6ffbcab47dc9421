import type { Dispatcher } from 'undici';
import { answerTooLarge } from './too-large.ts';

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
