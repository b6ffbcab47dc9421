import type { HttpBindings } from '@hono/node-server';
import type { Context } from 'hono';
import type { StatusCode } from 'hono/utils/http-status';
import { holdOf, readBytes } from './body.ts';
import type { EventSink, HttpExchange, KeepAlive, PieceSource } from './exchange.ts';
import { type Clock, systemClock } from '#platform/clock.ts';

/** Handles a request that the app received; resolves when the response has started. */
export function answerRequest(
  c: Context,
  handle: (exchange: HttpExchange) => Promise<void>,
): Promise<Response> {
  const request = c.req.raw;
  const begun = Promise.withResolvers<Response>();
  const listeners: (() => void)[] = [];
  let isGone = false;
  const leave = (): void => {
    if (isGone) return;
    isGone = true;
    for (const listener of listeners) listener();
  };
  const onAbort = (): void => leave();
  if (request.signal.aborted) leave();
  else request.signal.addEventListener('abort', onAbort, { once: true });
  const begin = (response: Response): void => {
    request.signal.removeEventListener('abort', onAbort);
    begun.resolve(response);
  };
  handle({
    method: request.method,
    url: request.url,
    headers: request.headers,
    readBody: ({ maxBodyBytes, ...options }) => readBytes(c, maxBodyBytes, options),
    hold: () => holdOf(c),
    setHeader: (name, value) => c.header(name, value),
    answer({ status, headers = {}, body }) {
      const data: string | Uint8Array<ArrayBuffer> | null =
        typeof body === 'object' ? Buffer.from(body) : (body ?? null);
      begin(c.newResponse(data, status as StatusCode, headers));
    },
    stream(headers) {
      const { sink, readable } = openSink(leave);
      begin(c.body(readable, 200, headers));
      return sink;
    },
    sendPieces(headers, source, keepAlive) {
      // If the app is called without a server, there are no bindings.
      const outgoing = (c.env as Partial<HttpBindings> | undefined)?.outgoing;
      void source.unread?.then(() => outgoing?.destroy());
      const cancel = (): Promise<void> => {
        leave();
        return source.cancel();
      };
      begin(
        c.body(readablePieces({ ...source, next: () => source.next(), cancel }, keepAlive), 200, headers),
      );
    },
    onGone(listener) {
      if (isGone) queueMicrotask(listener);
      else listeners.push(listener);
    },
  }).catch(begun.reject);
  return begun.promise;
}

function openSink(onGone: () => void): { sink: EventSink; readable: ReadableStream<Uint8Array> } {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const readable = new ReadableStream<Uint8Array>({
    start: (opened) => void (controller = opened),
    cancel() {
      controller = undefined;
      onGone();
    },
  });
  return {
    readable,
    sink: {
      write: (text) => controller?.enqueue(encoder.encode(text)),
      end() {
        controller?.close();
        controller = undefined;
      },
    },
  };
}

type Next = IteratorResult<Uint8Array, void> | 'quiet';

/**
 * Returns a response body that keeps the connection alive, and that requests a chunk only after the
 * client has read the previous chunk.
 */
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
        // If the body was cut off, it must not look complete to the client.
        else if (isUnread) controller.error(new Error('The client stopped reading the response.'));
        else controller.close();
      },
      cancel: () => source.cancel(),
    },
    // No chunks are read ahead.
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
