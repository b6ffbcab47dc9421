import type { Dispatcher } from 'undici';
import { answerTooLarge } from './too-large.ts';

/** The body of an answer. Whoever has it reads it to its end, piece by piece or as a whole, or destroys it. */
export interface UpstreamBody {
  /** The next bytes; undefined at the end. Rejects if it was cut off or destroyed. To be asked once at a time. */
  next(): Promise<Buffer | undefined>;
  /** All of it. Rejects with a TooLargeError, and reads no further, if that is more than so many bytes. */
  collect(limit: number): Promise<Buffer>;
  /** Hangs up, unless it has ended. */
  destroy(): void;
}

/** What comes in, for a body that is read by another. */
export interface BodyWriter {
  readonly body: UpstreamBody;
  push(chunk: Buffer): void;
  end(): void;
  fail(error: Error): void;
}

/** So much may wait for whoever reads; the provider is not read on meanwhile. */
const MOST_WAITING_BYTES = 128 * 1024;

/** Node's streams do all this, and much more that costs more than the rest of a request. */
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
  const hangUp = (reason: Error): void => {
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
      if (controller.paused && bytes < MOST_WAITING_BYTES) controller.resume();
      return chunk;
    },
    async collect(most) {
      limit = most;
      isWhole = true;
      if (bytes > limit) hangUp(answerTooLarge(limit));
      if (controller.paused) controller.resume();
      if (!ended && !error) await wait();
      if (error) throw error;
      // Nobody is hung up on who had sent all of it before.
      if (bytes > limit) throw answerTooLarge(limit);
      const [only] = chunks;
      return chunks.length === 1 && only ? only : Buffer.concat(chunks, bytes);
    },
    destroy: () => hangUp(new Error('nobody wants it any more')),
  };
  return {
    body,
    push(chunk) {
      if (error) return;
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limit) hangUp(answerTooLarge(limit));
      else if (!isWhole) {
        if (bytes >= MOST_WAITING_BYTES) controller.pause();
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
