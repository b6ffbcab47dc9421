import { MAX_PLUGIN_BODY_BYTES, type PluginAnswer, type PluginResponse } from './exchange.ts';
import { changeHeaders, pluginHeaders } from './headers.ts';

/** A response whose body can still be sent, with its view for plugins. */
export interface ReadResponse {
  readonly response: Response;
  /** Undefined if the body is too large for plugins. */
  readonly view: PluginResponse | undefined;
}

const NOTHING = new Uint8Array();
/** Statuses without a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/** Reads a response for plugins. Streams are not read, because that would delay them; plugins get an empty body. */
export async function readResponse(response: Response): Promise<ReadResponse> {
  const viewOf = (body: Uint8Array): PluginResponse => ({
    statusCode: response.status,
    headers: pluginHeaders(response.headers),
    body,
  });
  if (response.body === null || isStream(response)) return { response, view: viewOf(NOTHING) };
  const reader = response.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= MAX_PLUGIN_BODY_BYTES) {
    const { done, value } = await reader.read();
    if (done) {
      const body = Buffer.concat(chunks, bytes);
      return { response: new Response(body, response), view: viewOf(body) };
    }
    chunks.push(value);
    bytes += value.length;
  }
  return { response: new Response(continued(chunks, reader), response), view: undefined };
}

/** Returns the response with the changes of plugins. */
export function applyToResponse(
  response: Response,
  original: PluginResponse,
  changed: PluginResponse,
): Response {
  if (changed === original) return response;
  const headers = new Headers(response.headers);
  changeHeaders(headers, original.headers, changed.headers);
  const status = changed.statusCode;
  if (changed.body === original.body || isStream(response)) {
    return new Response(WITHOUT_BODY.has(status) ? null : response.body, { status, headers });
  }
  headers.delete('Content-Length');
  return new Response(bodyFor(status, changed.body), { status, headers });
}

/** Converts the answer of a plugin to a response for the client. */
export function pluginResponse(
  { statusCode, headers = {}, body = NOTHING }: PluginAnswer,
  fallback: number,
): Response {
  const status = statusCode || fallback;
  const own = new Headers();
  changeHeaders(own, {}, headers);
  if (body.length > 0 && !own.has('Content-Type')) own.set('Content-Type', 'text/plain; charset=utf-8');
  return new Response(bodyFor(status, body), { status, headers: own });
}

/** Whether a response is a stream. Logs are followed as lines of JSON. */
const isStream = ({ headers }: Response): boolean =>
  /^(?:text\/event-stream|application\/x-ndjson)\b/i.test(headers.get('Content-Type') ?? '');

const bodyFor = (status: number, body: Uint8Array): Uint8Array<ArrayBuffer> | null =>
  WITHOUT_BODY.has(status) ? null : new Uint8Array(body);

/** Returns a stream of the chunks that were read, followed by the rest of the body. */
function continued(
  chunks: readonly Uint8Array[],
  reader: ReadableStreamDefaultReader<Uint8Array>,
): ReadableStream<Uint8Array> {
  const read = chunks.values();
  return new ReadableStream({
    async pull(controller) {
      const next = read.next();
      const { done, value } = next.done ? await reader.read() : { done: false, value: next.value };
      if (done) controller.close();
      else controller.enqueue(value);
    },
    cancel: (reason) => reader.cancel(reason),
  });
}
