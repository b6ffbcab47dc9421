import type { ServerResponse } from 'node:http';

/** A body that comes in pieces, each when it is asked for. */
export interface PieceSource {
  /** Never rejects. */
  next(): Promise<IteratorResult<Uint8Array, void>>;
  /** Nobody wants the rest. */
  cancel(): Promise<void>;
  /** Resolves if the body was cut off and the client does not read what is left: it is hung up on. */
  readonly unread: Promise<void>;
}

export interface KeepAlive {
  /** Means nothing to whoever reads the body. */
  readonly text: string;
  /** Sent when nothing else was for so long. */
  readonly milliseconds: number;
}

/** Writes a body as fast as the client reads it, and no faster. The answer must have its head already. */
export async function writePieces(
  outgoing: ServerResponse,
  source: PieceSource,
  { text, milliseconds }: KeepAlive,
): Promise<void> {
  void source.unread.then(() => outgoing.destroy());
  const keepAlive = setTimeout(() => {
    if (!outgoing.writableNeedDrain) outgoing.write(text);
    keepAlive.refresh();
  }, milliseconds);
  // The head leaves with the first piece, if that is there at once.
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

/** Also resolves if it never will be. */
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
