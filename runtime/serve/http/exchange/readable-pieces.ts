import { type Clock, systemClock } from '#platform/clock.ts';
import type { KeepAlive, PieceSource } from './piece-source.ts';

type Next = IteratorResult<Uint8Array, void> | 'quiet';

/** Returns a response body that requests a piece only when the client has read the last one, and keeps the connection alive. */
export function readablePieces(
  source: PieceSource,
  { text, milliseconds }: KeepAlive,
  clock: Clock = systemClock,
): ReadableStream<Uint8Array> {
  let pending: Promise<Next> | undefined;
  let isUnread = false;
  void source.unread?.then(() => (isUnread = true));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= source.next();
        const next = await withinQuiet(pending, clock, milliseconds);
        if (next === 'quiet') {
          controller.enqueue(Buffer.from(text));
          return;
        }
        pending = undefined;
        if (!next.done) controller.enqueue(next.value);
        // A body that was cut off must not look complete.
        else if (isUnread) controller.error(new Error('The client stopped reading the response.'));
        else controller.close();
      },
      cancel: () => source.cancel(),
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  );
}

async function withinQuiet(next: Promise<Next>, clock: Clock, milliseconds: number): Promise<Next> {
  const quiet = Promise.withResolvers<Next>();
  const disarm = clock.after(milliseconds, () => quiet.resolve('quiet'));
  try {
    return await Promise.race([next, quiet.promise]);
  } finally {
    disarm();
  }
}
