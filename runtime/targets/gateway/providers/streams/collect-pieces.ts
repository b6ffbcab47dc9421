import type { ForwardedStream } from './stream.ts';

/**
 * Forwards a stream and calls `onEnd` at its end with the response, or with undefined if it has more bytes. A
 * stream that is not read to its end has no call.
 */
export function collectPieces(
  events: ForwardedStream,
  maxBytes: number,
  onEnd: (pieces: readonly Uint8Array[] | undefined) => void,
): ForwardedStream {
  const pieces: Uint8Array[] = [];
  let length = 0;
  return {
    ...events,
    async next() {
      const piece = await events.next();
      if (piece.done) onEnd(length <= maxBytes ? pieces : undefined);
      else {
        length += piece.value.length;
        if (length <= maxBytes) pieces.push(piece.value);
        else pieces.length = 0;
      }
      return piece;
    },
  };
}
