import { MAX_PLUGIN_BODY_BYTES, type PluginAnswer, type PluginResponse } from './exchange.ts';
import { changeHeaders, showHeaders } from './headers.ts';

/** An answer whose body can still be sent, and what plugins see of it. */
export interface SeenResponse {
  readonly answer: Response;
  /** Missing where the body is too large to be shown. */
  readonly shown: PluginResponse | undefined;
}

const NOTHING = new Uint8Array();
/** Statuses that have no body. */
const BODILESS = new Set([204, 205, 304]);

/** Streams go on as they are, and plugins see no body of theirs: holding them back would defeat their purpose. */
export async function seeResponse(answer: Response): Promise<SeenResponse> {
  const show = (body: Uint8Array): PluginResponse => ({
    statusCode: answer.status,
    headers: showHeaders(answer.headers),
    body,
  });
  if (answer.body === null || isStream(answer)) return { answer, shown: show(NOTHING) };
  const reader = answer.body.getReader();
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  while (bytes <= MAX_PLUGIN_BODY_BYTES) {
    const { done, value } = await reader.read();
    if (done) {
      const body = Buffer.concat(chunks, bytes);
      return { answer: new Response(body, answer), shown: show(body) };
    }
    chunks.push(value);
    bytes += value.length;
  }
  return { answer: new Response(continued(chunks, reader), answer), shown: undefined };
}

/** The answer as plugins want it. */
export function changeAnswer(answer: Response, shown: PluginResponse, wanted: PluginResponse): Response {
  if (wanted === shown) return answer;
  const headers = new Headers(answer.headers);
  changeHeaders(headers, shown.headers, wanted.headers);
  const status = wanted.statusCode;
  if (wanted.body === shown.body || isStream(answer)) {
    return new Response(BODILESS.has(status) ? null : answer.body, { status, headers });
  }
  headers.delete('Content-Length');
  return new Response(bodyFor(status, wanted.body), { status, headers });
}

/** What a plugin answers itself. */
export function ownAnswer(
  { statusCode, headers = {}, body = NOTHING }: PluginAnswer,
  fallback: number,
): Response {
  const status = statusCode || fallback;
  const own = new Headers();
  changeHeaders(own, {}, headers);
  if (body.length > 0 && !own.has('Content-Type')) own.set('Content-Type', 'text/plain; charset=utf-8');
  return new Response(bodyFor(status, body), { status, headers: own });
}

/** Lines of JSON are how logs are followed. */
const isStream = ({ headers }: Response): boolean =>
  /^(?:text\/event-stream|application\/x-ndjson)\b/i.test(headers.get('Content-Type') ?? '');

const bodyFor = (status: number, body: Uint8Array): Uint8Array<ArrayBuffer> | null =>
  BODILESS.has(status) ? null : new Uint8Array(body);

/** What was read, and then the rest. */
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
