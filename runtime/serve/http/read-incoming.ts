import type { IncomingMessage } from 'node:http';
import { bodyCutShort, bodyTooSlow } from './read-bytes.ts';

/** The body of a request whose length is known, which Node then sees to. */
export function readIncoming(incoming: IncomingMessage, timeoutMs: number): Promise<Uint8Array> {
  // Most bodies come with the head, and are there by the time that anybody knows whose they are.
  if (incoming.readableLength === Number(incoming.headers['content-length'])) {
    const bytes = (incoming.read() as Buffer | null) ?? Buffer.alloc(0);
    incoming.resume();
    return Promise.resolve(bytes);
  }
  const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>();
  const chunks: Buffer[] = [];
  const timer = setTimeout(() => {
    reject(bodyTooSlow());
  }, timeoutMs);
  const cut = (): void => {
    // Every request is closed in the end, and making an error takes longer than the rest of this.
    if (!incoming.complete) reject(bodyCutShort());
  };
  incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
  incoming.once('end', () => {
    const [only] = chunks;
    resolve(chunks.length === 1 && only ? only : Buffer.concat(chunks));
  });
  incoming.once('error', cut);
  incoming.once('close', cut);
  // It may have been cut off while somebody looked whose it is.
  if (incoming.destroyed) cut();
  return promise.finally(() => clearTimeout(timer));
}
