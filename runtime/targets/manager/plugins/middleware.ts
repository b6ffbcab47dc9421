import type { Context, MiddlewareHandler } from 'hono';
import { HEALTH_PATHS } from '#serve/http/health.ts';
import { readBytes } from '#serve/http/body.ts';
import type { ShellEnv } from '#serve/http/request-state.ts';
import {
  MAX_PLUGIN_BODY_BYTES,
  type PluginRequest,
  type PluginAnswer,
  type PluginResponse,
} from './exchange.ts';
import type { Plugins } from './plugins.ts';
import { membersOf } from '#core/json/members-of.ts';
import { changeHeaders, pluginHeaders } from './headers.ts';
import { remoteAddress, rememberReceived } from './received-request.ts';

export interface PluginMiddlewareOptions {
  /** Handles a request from the start if a plugin changes its path: the app's `fetch`. */
  readonly dispatch: (request: Request, env: object) => Response | Promise<Response>;
  /** Timeout for receiving a request body. Default: 5 s. */
  readonly bodyTimeoutMs?: number | undefined;
}

const SKIPPED_PATHS: ReadonlySet<string> = new Set(HEALTH_PATHS);
const FAILURE_HEADER = 'Mcpd-Error-Type';
const FIVE_SECONDS = 5000;

/**
 * Passes requests and responses through plugins. It runs before API keys are checked, so that authentication
 * plugins get the original requests and can return their own errors, and audit plugins see rejected requests.
 * If there are no plugins, requests and responses are not changed.
 */
export function pluginMiddleware(
  plugins: Plugins,
  { dispatch, bodyTimeoutMs = FIVE_SECONDS }: PluginMiddlewareOptions,
): MiddlewareHandler<ShellEnv> {
  const [seesRequests, seesResponses] = [plugins.has('request'), plugins.has('response')];
  if (!seesRequests && !seesResponses) return (_c, next) => next();
  const rerouted = new WeakSet<Request>();

  return async (c, next) => {
    if (SKIPPED_PATHS.has(c.req.path) || rerouted.has(c.req.raw)) return next();
    // Earlier middleware has set headers for every response: CORS and the request ID.
    const common = new Headers(c.res.headers);
    if (seesRequests) {
      const outcome = await passRequest(c, plugins, bodyTimeoutMs);
      if (outcome.answer) return outcome.answer;
      c.req.raw = outcome.request;
      c.req.bodyCache = {};
      if (outcome.reroute) {
        rerouted.add(outcome.request);
        c.res = await dispatch(outcome.request, membersOf(c.env));
      } else await next();
    } else await next();
    if (seesResponses) await passResponse(c, plugins, common);
    return undefined;
  };
}

type Outcome =
  | { readonly answer: Response }
  | { readonly answer?: never; readonly request: Request; readonly reroute: boolean };

async function passRequest(c: Context<ShellEnv>, plugins: Plugins, timeoutMs: number): Promise<Outcome> {
  const { raw } = c.req;
  // Read before the body, because the signal does not report a disconnect afterwards.
  const { signal } = raw;
  const original = requestOf(c, await readBytes(c, MAX_PLUGIN_BODY_BYTES, { timeoutMs, tooLargeMessage }));
  const outcome = await plugins.request(original, c.get('requestId')).catch((error: unknown) => {
    c.header(FAILURE_HEADER, 'request-pipeline-failure');
    throw error;
  });
  if ('rejection' in outcome) return { answer: pluginResponse(outcome.rejection, 200) };
  const { message: changed } = outcome;
  const request = applyToRequest(raw, { original, changed, signal });
  rememberReceived(request, raw);
  return { request, reroute: changed.method !== original.method || changed.path !== original.path };
}

async function passResponse(c: Context<ShellEnv>, plugins: Plugins, common: Headers): Promise<void> {
  try {
    const { response, view } = await readResponse(c.res);
    if (!view) {
      replaceResponse(c, response);
      plugins.skipResponse(c.get('requestId'));
      return;
    }
    const outcome = await plugins.response(view, c.get('requestId'));
    if ('message' in outcome) replaceResponse(c, applyToResponse(response, view, outcome.message));
    else {
      await response.body?.cancel();
      replaceResponse(c, pluginResponse(outcome.rejection, response.status), common);
    }
  } catch (error) {
    await c.res.body?.cancel().catch(() => undefined);
    // The error response must not contain any part of the original response.
    replaceResponse(c, new Response(null), common);
    c.header(FAILURE_HEADER, 'response-pipeline-failure');
    throw error;
  }
}

/** Replaces the whole response; a plain assignment would keep the previous response's headers. */
function replaceResponse(c: Context, response: Response, common?: Headers): void {
  c.res = undefined;
  c.res = response;
  for (const [name, value] of common ?? []) c.header(name, value);
}

const tooLargeMessage = (limit: number): string => `request body is too large limit=${limit} bytes`;

function requestOf(c: Context, body: Uint8Array): PluginRequest {
  const { method, url } = c.req.raw;
  const headers = new Headers(c.req.raw.headers);
  // Removed, because the body has been decompressed.
  headers.delete('Content-Encoding');
  const { pathname, search } = new URL(url);
  return {
    method,
    url,
    path: decode(pathname),
    requestUri: pathname + search,
    remoteAddr: remoteAddress(c),
    headers: pluginHeaders(headers),
    body,
  };
}

interface RequestChange {
  readonly original: PluginRequest;
  readonly changed: PluginRequest;
  readonly signal: AbortSignal;
}

/** Returns the request with the plugins' changes. It has a new body, because the original one was consumed. */
function applyToRequest(
  { url, headers: originalHeaders }: Request,
  { original, changed, signal }: RequestChange,
): Request {
  const headers = new Headers(originalHeaders);
  changeHeaders(headers, original.headers, changed.headers);
  const hasBody = changed.body.length > 0 && !/^(?:GET|HEAD)$/i.test(changed.method);
  headers.delete('Transfer-Encoding');
  headers.delete('Content-Encoding');
  if (hasBody) headers.set('Content-Length', String(changed.body.length));
  else headers.delete('Content-Length');
  const target = new URL(url);
  const [path = ''] = changed.requestUri.split('?', 1);
  target.pathname = path;
  target.search = changed.requestUri.slice(path.length);
  return new Request(target, {
    method: changed.method,
    headers,
    signal,
    body: hasBody ? new Uint8Array(changed.body) : null,
  });
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

/** A response whose body can still be sent, with its representation for plugins. */
interface ReadResponse {
  readonly response: Response;
  /** Undefined if the body is too large for plugins. */
  readonly view: PluginResponse | undefined;
}

const NOTHING = new Uint8Array();
/** Statuses without a body. */
const WITHOUT_BODY = new Set([204, 205, 304]);

/**
 * Reads a response for plugins. Streams are not read, because reading would delay them. Plugins get
 * an empty body instead.
 */
async function readResponse(response: Response): Promise<ReadResponse> {
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

/** Returns the response with the plugins' changes. */
function applyToResponse(response: Response, original: PluginResponse, changed: PluginResponse): Response {
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

/** Converts a plugin's response to a response for the client. */
function pluginResponse(
  { statusCode, headers = {}, body = NOTHING }: PluginAnswer,
  fallback: number,
): Response {
  const status = statusCode || fallback;
  const own = new Headers();
  changeHeaders(own, {}, headers);
  if (body.length > 0 && !own.has('Content-Type')) own.set('Content-Type', 'text/plain; charset=utf-8');
  return new Response(bodyFor(status, body), { status, headers: own });
}

/** Whether a response is a stream. Followed logs are streams of JSON lines. */
const isStream = ({ headers }: Response): boolean =>
  /^(?:text\/event-stream|application\/x-ndjson)\b/i.test(headers.get('Content-Type') ?? '');

const bodyFor = (status: number, body: Uint8Array): Uint8Array<ArrayBuffer> | null =>
  WITHOUT_BODY.has(status) ? null : new Uint8Array(body);

/** Returns a stream of the chunks already read, followed by the rest of the body. */
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
