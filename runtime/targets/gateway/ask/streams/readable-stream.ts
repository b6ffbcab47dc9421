import type { Clock } from '../../../../platform/clock.ts';
import type { ForwardedStream } from './stream.ts';
import { KEEP_ALIVE_TEXT } from './event-text.ts';

export interface StreamingOptions {
  readonly clock: Clock;
  /** A comment is sent when nothing else was for so long. */
  readonly keepAliveMs: number;
}

type Next = IteratorResult<Uint8Array, void> | 'quiet';

/**
 * A forwarded stream as the body of a `Response`. A piece is asked for only when there is room for it. While none comes,
 * comments keep the connection from looking dead.
 */
export function toReadableStream(
  forwarded: Pick<ForwardedStream, 'next' | 'cancel'> & Partial<Pick<ForwardedStream, 'unread'>>,
  { clock, keepAliveMs }: StreamingOptions,
): ReadableStream<Uint8Array> {
  let pending: Promise<Next> | undefined;
  let isUnread = false;
  void forwarded.unread?.then(() => (isUnread = true));
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        pending ??= forwarded.next();
        const next = await withinQuiet(pending, clock, keepAliveMs);
        if (next === 'quiet') {
          controller.enqueue(Buffer.from(KEEP_ALIVE_TEXT));
          return;
        }
        pending = undefined;
        if (!next.done) controller.enqueue(next.value);
        // The end of what was left unread is not that of the answer.
        else if (isUnread) controller.error(new Error('The client did not read on in time.'));
        else controller.close();
      },
      cancel: () => forwarded.cancel(),
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
