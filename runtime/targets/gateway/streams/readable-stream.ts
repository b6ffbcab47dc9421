import type { Clock } from '../../../platform/clock.ts';
import { KEEP_ALIVE_TEXT } from './event-text.ts';

export interface StreamingOptions {
  readonly clock: Clock;
  readonly keepAliveMs: number;
  /** The reader does not want any more. */
  readonly onCancel: () => void;
}

type Next = IteratorResult<Uint8Array, void> | 'quiet';

/**
 * Pieces as the body of an answer. A piece is asked for only when there is room for it, so a slow reader slows down whoever
 * makes them. While none comes, comments keep the connection from looking dead.
 */
export function toReadableStream(
  pieces: AsyncGenerator<Uint8Array, void>,
  { clock, keepAliveMs, onCancel }: StreamingOptions,
): ReadableStream<Uint8Array> {
  let pending: Promise<Next> | undefined;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= pieces.next();
        const next = await withinQuiet(pending, clock, keepAliveMs);
        if (next === 'quiet') {
          controller.enqueue(Buffer.from(KEEP_ALIVE_TEXT));
          return;
        }
        pending = undefined;
        if (next.done) controller.close();
        else controller.enqueue(next.value);
      },
      async cancel() {
        onCancel();
        // It notices, and settles its accounts.
        await pending;
        while (!(await pieces.next()).done);
      },
    },
    // Nothing is read ahead.
    { highWaterMark: 0 },
  );
}

async function withinQuiet(next: Promise<Next>, clock: Clock, keepAliveMs: number): Promise<Next> {
  const quiet = Promise.withResolvers<Next>();
  const disarm = clock.after(keepAliveMs, () => quiet.resolve('quiet'));
  try {
    return await Promise.race([next, quiet.promise]);
  } finally {
    disarm();
  }
}
