import type { ServerResponse } from 'node:http';

import type { KeepAlive, PieceSource } from './piece-source.ts';

/** Writes a body at the speed at which the client reads it. The response headers must have been set. */
export async function writePieces(
  outgoing: ServerResponse,
  source: PieceSource,
  { text, milliseconds }: KeepAlive,
): Promise<void> {
  void source.unread?.then(() => outgoing.destroy());
  const keepAlive = setTimeout(() => {
    if (!outgoing.writableNeedDrain) outgoing.write(text);
    keepAlive.refresh();
  }, milliseconds);
  // The headers are sent together with the first piece if that is available immediately.
  const head = setImmediate(() => outgoing.flushHeaders());
  try {
    for (;;) {
      const { value, done } = await source.next();
      if (done === true) break;
      if (isGone(outgoing)) return await source.cancel();
      keepAlive.refresh();
      if (!outgoing.write(value)) await drained(outgoing);
    }
    outgoing.end();
  } finally {
    clearImmediate(head);
    clearTimeout(keepAlive);
  }
}

const isGone = ({ destroyed, closed }: ServerResponse): boolean => destroyed || closed;

/** Resolves when the response can take more data, or never will. */
function drained(outgoing: ServerResponse): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const done = (): void => {
    outgoing.off('drain', done);
    outgoing.off('close', done);
    resolve();
  };
  outgoing.once('drain', done);
  outgoing.once('close', done);
  if (isGone(outgoing)) done();
  return promise;
}
