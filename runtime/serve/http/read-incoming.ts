import type { IncomingMessage } from 'node:http';
import type { ByteHold } from '#core/limits/byte-budget.ts';
import { truncatedBodyError, bodyTimeoutError } from './read-bytes.ts';

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
