import { AppError } from '../../contract/errors.ts';
import { readCounted } from '../http/read-bytes.ts';
import type { EventSink, HttpExchange } from './http-exchange.ts';

/** Handles a Fetch API request; resolves when the response has started. */
export function answerRequest(
  request: Request,
  handle: (exchange: HttpExchange) => Promise<void>,
): Promise<Response> {
  const begun = Promise.withResolvers<Response>();
  const leaving: (() => void)[] = [];
  let left = false;
  const leave = (): void => {
    if (left) return;
    left = true;
    for (const listener of leaving) listener();
  };
  const onAbort = (): void => leave();
  request.signal.addEventListener('abort', onAbort, { once: true });
  const begin = (response: Response): void => {
    request.signal.removeEventListener('abort', onAbort);
    begun.resolve(response);
  };
  handle({
    method: request.method,
    url: request.url,
    headers: request.headers,
    readBody: (maxBytes) => readBody(request, maxBytes),
    answer({ status, headers = {}, body }) {
      begin(new Response(body ?? null, { status, headers }));
    },
    stream(headers) {
      const { sink, readable } = openSink(leave);
      begin(new Response(readable, { headers }));
      return sink;
    },
    onGone: (listener) => void leaving.push(listener),
  }).catch(begun.reject);
  return begun.promise;
}

async function readBody(request: Request, maxBytes: number): Promise<Uint8Array | undefined> {
  const announced = request.headers.get('content-length');
  // Node enforces an announced length, and reading in one piece creates no stream.
  if (announced !== null && Number(announced) <= maxBytes) return new Uint8Array(await request.arrayBuffer());
  const tooLarge = (): AppError => new AppError('TooLargeError', `more than ${maxBytes} bytes`);
  try {
    return await readCounted(request.body, maxBytes, tooLarge);
  } catch (error) {
    if (error instanceof AppError) return undefined;
    throw error;
  }
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
