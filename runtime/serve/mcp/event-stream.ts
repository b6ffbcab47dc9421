/** A response made of server-sent events, one JSON-RPC message each. */
export interface EventStream {
  readonly response: Response;
  /** Does nothing when the stream is over. */
  send(message: object): void;
  end(): void;
}

export interface EventStreamOptions {
  /** Told if the client leaves before the end. */
  readonly onGone: () => void;
  /** So often something is sent, so that nothing between here and the client takes the stream for dead. */
  readonly keepAliveMilliseconds?: number | undefined;
}

const KEEP_ALIVE = 15_000;

export function openEventStream({
  onGone,
  keepAliveMilliseconds = KEEP_ALIVE,
}: EventStreamOptions): EventStream {
  const encoder = new TextEncoder();
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const write = (text: string): void => controller?.enqueue(encoder.encode(text));
  const stop = (): void => {
    clearInterval(timer);
    controller = undefined;
  };
  const timer = setInterval(() => write(': keepalive\n\n'), keepAliveMilliseconds).unref();
  const body = new ReadableStream<Uint8Array>({
    start: (opened) => void (controller = opened),
    cancel() {
      stop();
      onGone();
    },
  });
  return {
    response: new Response(body, {
      headers: {
        'content-type': 'text/event-stream',
        'cache-control': 'no-cache, no-transform',
        'x-accel-buffering': 'no',
      },
    }),
    send: (message) => write(`event: message\ndata: ${JSON.stringify(message)}\n\n`),
    end() {
      controller?.close();
      stop();
    },
  };
}
