import { OpenList } from '#core/limits/open-list.ts';
import { lookup } from '#core/values/lookup.ts';
import { constants } from 'node:http2';
import {
  Code,
  type ConnectRouter,
  createConnectRouter,
  createContextValues,
  ConnectError,
} from '@connectrpc/connect';
import {
  universalRequestFromNodeRequest,
  universalResponseToNodeResponse,
  compressionBrotli,
  compressionGzip,
} from '@connectrpc/connect-node';
import type {
  UniversalServerRequest,
  Compression,
  UniversalServerResponse,
} from '@connectrpc/connect/protocol';
import { type HostRules, createHostCheck } from '#serve/http/request-head.ts';
import type { Kernel } from '#serve/kernel.ts';
import { GRPC_STATUS } from '#serve/errors/grpc-status.ts';
import {
  type NodeRequest,
  type NodeResponse,
  pathOf,
  callObserver,
  observedCall,
  observeEnd,
  type ObservingKernel,
} from './observe.ts';
import { AsyncLocalStorage } from 'node:async_hooks';
import { AppError } from '#contract/errors.ts';
import type { ByteBudget, ByteHold } from '#core/limits/byte-budget.ts';
import { bodyDecoder } from '#serve/http/decode-body.ts';
import type { IncomingHttpHeaders } from 'node:http';

export interface RequestListenerOptions extends ObservingKernel, Pick<Kernel, 'requestMemory'> {
  readonly routes: (router: ConnectRouter) => void;
  /** Time in milliseconds after which a call is aborted if its client neither sends nor receives data. */
  readonly idleTimeout: number;
  readonly hostRules: HostRules;
}

export interface RequestListener {
  readonly listener: (request: NodeRequest, response: NodeResponse) => void;
  /**
   * Aborts calls in which the client streams messages, because only the client could complete them.
   * Server-streaming calls end when the server stops.
   */
  readonly endStreams: () => void;
  /** Aborts all calls. */
  readonly endAll: () => void;
}

/** Handles calls over gRPC, gRPC-Web and Connect. */
export function createRequestListener(options: RequestListenerOptions): RequestListener {
  const { routes, log, idleTimeout } = options;
  const messages = createHeldMessages(options.requestMemory);
  const router = createConnectRouter({
    acceptCompression: [...messages.compressions],
    // Clients always accept compressed responses, but vectors can hardly be compressed, so
    // compression would cost far more than it saves.
    compressMinBytes: Number.POSITIVE_INFINITY,
    requestGate: observeEnd,
  });
  routes(router);
  const handlers = new Map(router.handlers.map((handler) => [handler.requestPath, handler]));
  const services = [...new Set(router.handlers.map(({ service }) => service.typeName))];
  const observe = callObserver(options);
  const running = new OpenList<RunningCall>();
  const refusal = createBrowserCheck(options.hostRules);

  const listener = (request: NodeRequest, response: NodeResponse): void => {
    const handler = handlers.get(pathOf(request));
    const observed = observe(request, response, handler);
    const reason = refusal(request);
    if (reason !== undefined) {
      observed.end(GRPC_STATUS.ForbiddenError);
      answerPlainText(response, 403, `${reason}\n`);
      return;
    }
    if (!handler) {
      observed.end(GRPC_STATUS.MethodError);
      answerUnknownMethod(request, response, services);
      return;
    }
    const giveUp = (): void => {
      observed.end(Code.Unavailable);
      abandon(response);
    };
    const { methodKind } = handler.method;
    const call = { giveUp, openEnded: methodKind === 'bidi_streaming' || methodKind === 'client_streaming' };
    const entry = running.add(call);
    response.once('close', () => running.delete(entry));
    if (methodKind === 'unary') {
      response.setTimeout(idleTimeout, () => {
        // Only a stalled client is disconnected. The time that the model takes is not limited.
        if (!request.complete || response.headersSent) giveUp();
      });
    }
    dropDistantDeadline(request.headers);
    let asked: UniversalServerRequest;
    try {
      const values = createContextValues().set(observedCall, observed);
      asked = universalRequestFromNodeRequest(request, response, undefined, values);
    } catch {
      observed.end(GRPC_STATUS.MalformedError);
      answerPlainText(response, 400, 'The request has no Host header.\n');
      return;
    }
    // Must run before Connect is notified, because Connect reports a disconnected client with
    // several different codes.
    asked.signal.addEventListener('abort', () => observed.end(Code.Canceled), { once: true });
    observed
      .run(() => messages.run(asked, response, handler))
      .then((answer) => {
        if (answer.status !== 200) observed.end(REFUSALS[answer.status] ?? Code.Unknown);
        return universalResponseToNodeResponse(withPlainStatusMessage(answer), response);
      })
      .catch((error: unknown) => {
        // Errors thrown by methods have already been converted to responses, so this error concerns
        // the connection.
        log.debug({ ...observed.about, err: error }, 'gRPC response could not be sent');
        giveUp();
      });
  };
  return {
    listener,
    endStreams() {
      for (const { giveUp, openEnded } of running.items()) if (openEnded) giveUp();
    },
    endAll() {
      for (const { giveUp } of running.items()) giveUp();
    },
  };
}

interface RunningCall {
  readonly giveUp: () => void;
  readonly openEnded: boolean;
}

/**
 * Statuses of Connect's own responses to requests that are not calls in any of its protocols; other
 * errors are handled earlier.
 */
const REFUSALS: Partial<Record<number, Code>> = {
  405: GRPC_STATUS.MethodError,
  415: GRPC_STATUS.UnsupportedMediaError,
  505: GRPC_STATUS.MethodError,
};

function abandon(response: NodeResponse): void {
  // gRPC clients report a refused stream as UNAVAILABLE.
  if ('stream' in response) response.stream.close(constants.NGHTTP2_REFUSED_STREAM);
  else response.destroy();
}

/**
 * Checks Host and Origin of requests that a browser can send: over HTTP/1.1 (gRPC-Web and Connect),
 * or with an Origin. gRPC clients can send any host over HTTP/2, because browsers do not use HTTP/2
 * without TLS, and with TLS the certificate does not cover a name that an attacker points at this
 * server.
 */
function createBrowserCheck(rules: HostRules): (request: NodeRequest) => string | undefined {
  const refusal = createHostCheck(rules);
  return ({ httpVersionMajor, headers }) => {
    if (httpVersionMajor > 1 && headers.origin === undefined) return undefined;
    const host = headers.host ?? headers[':authority']?.toString();
    // The request is rejected as invalid later.
    if (host === undefined) return undefined;
    const given: Readonly<Record<string, string | undefined>> = { host, origin: headers.origin };
    return refusal({ url: '', headers: { get: (name) => given[name] ?? null } });
  };
}

/** Counts the bytes of calls, both compressed and decompressed, toward the memory limit for requests. */
interface HeldMessages {
  /** The compression algorithms, with memory accounting for the messages of the call. */
  readonly compressions: readonly Compression[];
  /** Runs a call with a memory account that is released when the response is complete. */
  readonly run: <Result>(
    request: UniversalServerRequest,
    response: NodeResponse,
    handle: (request: UniversalServerRequest) => Result,
  ) => Result;
}

const ENCODING_HEADERS = ['grpc-encoding', 'connect-content-encoding', 'content-encoding'];

function createHeldMessages(memory: ByteBudget): HeldMessages {
  const calls = new AsyncLocalStorage<ByteHold>();
  const bounded = (compression: Compression): Compression => ({
    ...compression,
    async decompress(bytes, readMaxBytes) {
      const decode = bodyDecoder(compression.name);
      const hold = calls.getStore();
      if (!decode || !hold) return await compression.decompress(bytes, readMaxBytes);
      const message = `message is larger than configured readMaxBytes ${readMaxBytes} after decompression`;
      return await decode(bytes, {
        limit: readMaxBytes,
        tooLarge: () => new AppError('TooLargeError', message),
        hold,
      }).catch(rethrow);
    },
  });
  return {
    compressions: [compressionGzip, compressionBrotli].map(bounded),
    run(request, response, handle) {
      const { body } = request;
      if (!isStream(body)) return handle(request);
      const hold = memory.open();
      response.once('close', hold.release);
      const held = { ...request, body: charged(body, hold) };
      const isCompressed = ENCODING_HEADERS.some((name) => request.header.has(name));
      return isCompressed ? calls.run(hold, () => handle(held)) : handle(held);
    },
  };
}

/** Anything that is not a stream is a body that another framework has already parsed. */
const isStream = (body: UniversalServerRequest['body']): body is AsyncIterable<Uint8Array> =>
  typeof body === 'object' && body !== null && Symbol.asyncIterator in body;

async function* charged(body: AsyncIterable<Uint8Array>, hold: ByteHold): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of body) {
    try {
      hold.take(chunk.length);
    } catch (error) {
      rethrow(error);
    }
    yield chunk;
  }
}

function rethrow(error: unknown): never {
  const { code, message } = AppError.from(error);
  throw new ConnectError(message, GRPC_STATUS[code]);
}

/** Rejects a call to an unknown method: UNIMPLEMENTED in the call's protocol, or a plain 404. */
function answerUnknownMethod(
  request: NodeRequest,
  response: NodeResponse,
  services: readonly string[],
): void {
  const message = `Unknown method: ${request.url}. The services on this port are ${services.join(', ')}.`;
  const contentType = request.headers['content-type'] ?? '';
  if (contentType.startsWith('application/grpc')) {
    response.setHeader('content-type', contentType);
    // gRPC errors are responses with status 200. Without a message, such a response only has headers.
    response.setHeader('grpc-status', String(Code.Unimplemented));
    response.setHeader('grpc-message', encodeStatusMessage(message));
    response.end();
  } else if (request.method === 'POST') {
    response.statusCode = 404;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ code: 'unimplemented', message }));
  } else {
    answerPlainText(response, 404, `${message} Supported protocols: gRPC, gRPC-Web and Connect.\n`);
  }
}

export function answerPlainText(response: NodeResponse, status: number, text: string): void {
  response.statusCode = status;
  response.setHeader('content-type', 'text/plain; charset=utf-8');
  response.end(text);
}

const HEADER = 'grpc-message';

/**
 * Percent-encodes characters that are not allowed in the header:
 * https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md#responses
 */
const encodeStatusMessage = (text: string): string =>
  text.toWellFormed().replace(/[^\x20-\x24\x26-\x7e]/gu, encodeURIComponent);

/**
 * Connect also encodes commas, colons and similar characters, and @grpc/grpc-js shows them to users
 * without decoding them. The trailer is complete as soon as the body is.
 */
function withPlainStatusMessage(response: UniversalServerResponse): UniversalServerResponse {
  const { body, trailer } = response;
  if (!body || !trailer) return response;
  return { ...response, body: thenRewrite(body, trailer) };
}

async function* thenRewrite(body: AsyncIterable<Uint8Array>, trailer: Headers): AsyncIterable<Uint8Array> {
  yield* body;
  const message = trailer.get(HEADER);
  if (message) trailer.set(HEADER, encodeStatusMessage(decodeURIComponent(message)));
}

/** Milliseconds per unit of `grpc-timeout`. */
const UNITS = lookup<number>({ H: 3_600_000, M: 60_000, S: 1000, m: 1, u: 1e-3, n: 1e-6 });

/**
 * Node stores the delay of a timer in 31 bits (24 days in milliseconds). Timers with longer delays
 * fire immediately.
 */
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Removes deadlines beyond the range of timers. Clients that do not want a deadline send them, for
 * example a century or the largest number in their language. @internal
 */
export function dropDistantDeadline(headers: IncomingHttpHeaders): void {
  const [, amount, unit] = /^(\d+)([HMSmun])$/.exec(String(headers['grpc-timeout'])) ?? [];
  if (Number(amount) * (UNITS[unit ?? ''] ?? 0) > MAX_TIMER_MS) delete headers['grpc-timeout'];
  if (Number(headers['connect-timeout-ms']) > MAX_TIMER_MS) delete headers['connect-timeout-ms'];
}
