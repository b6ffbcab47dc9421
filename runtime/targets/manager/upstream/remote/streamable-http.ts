import { OpenItems } from '#core/limits/open-items.ts';
import { messageOf } from '#contract/errors.ts';
import { FIRST_STATELESS_VERSION } from '#serve/mcp/protocol-version.ts';
import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import {
  ConnectionClosed,
  type RequestHeaders,
  SessionExpired,
  ResultTooLarge,
  type Transport,
  type TransportHooks,
  MAX_LOG_LINE,
} from '../connection.ts';
import { type RpcMessage, parseMessages } from '../rpc-message.ts';
import { openRemoteConnection } from './remote-connection.ts';
import { responseFailure, header, mediaType, readMessagesOf } from './read-response.ts';
import { createParameterHeaders } from './parameter-headers.ts';
import type { RemoteResponse } from './remote-client.ts';
import { encodeHeader, NAMED_BY } from '#serve/mcp/stateless-request.ts';
import { isObject } from '#core/json/is-object.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { EventTooLong, isMessage, readEvents } from './read-events.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const ACCEPT_STREAM = { accept: 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** Time for requests in flight after the session expired. */
const LAST_RESPONSES_MS = 1000;

/**
 * Sends one POST per message. The SDK's transport is not used: it alters large numbers, does not limit
 * response sizes, and cannot set headers per request, which revision 2026-07-28 requires.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function openStreamableHttp(
  launch: RemoteLaunch,
  timeouts: ServerTimeouts,
  { onMessage, onLost, onLog, maxCharacters, signIns, ...users }: TransportHooks,
): Promise<Transport> {
  const connection = openRemoteConnection(launch, timeouts, signIns, users);
  const { client } = connection;
  const exchanges = new OpenItems<number, AbortController>();
  const parameterHeaders = createParameterHeaders(onLog);
  let sessionId: string | undefined;
  let version: string | undefined;
  let expiry: NodeJS.Timeout | undefined;
  /** Requests wait for the end of the handshake: each uses its own connection and could overtake it. */
  let ready: Promise<unknown> = Promise.resolve();

  /** Closes the connection once the requests in flight have their responses as well. */
  const expire = (): void => {
    expiry ??= setTimeout(endExpired, LAST_RESPONSES_MS).unref();
    if (exchanges.size === 0) endExpired();
  };
  const endExpired = (): void => {
    clearTimeout(expiry);
    connection.end(new SessionExpired().message);
  };
  const isStateless = (): boolean => version !== undefined && version >= FIRST_STATELESS_VERSION;
  const commonHeaders = (): Record<string, string> => ({
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    ...(version !== undefined && { 'mcp-protocol-version': version }),
  });

  const post = async (
    message: RpcMessage,
    signal: AbortSignal,
    requestHeaders?: RequestHeaders,
  ): Promise<RemoteResponse> => {
    const headers = {
      ...commonHeaders(),
      ...(isStateless() && statelessHeaders(message)),
      ...requestHeaders,
      ...(message.method === 'tools/call' && parameterHeaders.headersFor(message.params)),
      ...ACCEPT,
      ...JSON_TYPE,
    };
    const body = JSON.stringify(message);
    const response = await client.request({ method: 'POST', headers, body, signal });
    if (response.status === 404 && sessionId !== undefined) {
      await response.body.dump();
      expire();
      throw new SessionExpired();
    }
    if (response.status >= 300) throw await responseFailure(response, client.place);
    if (message.method === 'initialize') sessionId = header(response, 'mcp-session-id');
    return response;
  };
  const get = async (
    lastEventId: string | undefined,
    signal: AbortSignal,
    onNotFound?: () => void,
  ): Promise<RemoteResponse> => {
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const headers = { ...commonHeaders(), ...ACCEPT_STREAM, ...resume };
    const response = await client.request({ method: 'GET', headers, signal });
    if (response.status === 404) onNotFound?.();
    if (response.status >= 300) throw await responseFailure(response, client.place);
    return response;
  };

  const onResponse = (request: RpcMessage, id: number, message: RpcMessage): void => {
    const { result } = message;
    const isToolList = isStateless() && request.method === 'tools/list' && isObject(result);
    onMessage(isToolList ? { ...message, result: parameterHeaders.learn(result) } : message, id);
  };
  const exchange = async (
    request: RpcMessage,
    id: number,
    requestHeaders?: RequestHeaders,
  ): Promise<void> => {
    const abort = new AbortController();
    exchanges.set(id, abort);
    const signal = AbortSignal.any([abort.signal, connection.signal]);
    const receive = (message: RpcMessage): void => onResponse(request, id, message);
    try {
      await ready;
      if (expiry) throw new SessionExpired();
      const response = await post(request, signal, requestHeaders);
      if (mediaType(response) === 'text/event-stream') {
        await followStream(response, {
          get,
          onMessage: receive,
          signal,
          requestId: id,
          maxCharacters,
          onLog,
        });
      } else (await readMessagesOf(response, client.place, maxCharacters)).forEach(receive);
      onLost(id, new ConnectionClosed(`${client.place} returned no result.`));
    } catch (error) {
      onLost(id, connection.handleFailure(error));
    } finally {
      exchanges.delete(id);
      if (expiry && exchanges.size === 0) endExpired();
    }
  };
  const notify = async (message: RpcMessage): Promise<void> => {
    try {
      const response = await post(message, connection.signal);
      await response.body.dump();
    } catch (error) {
      if (!connection.signal.aborted)
        onLog(
          `\`${message.method ?? 'response'}\` was not delivered: ${messageOf(connection.handleFailure(error))}`,
        );
    }
  };
  const getAgain: typeof get = (lastEventId, signal) =>
    get(lastEventId, signal, () => {
      // A stream that was open cannot be resumed, because the server has restarted and does not know the
      // session.
      if (sessionId !== undefined) expire();
    });
  const listen = async (): Promise<void> => {
    try {
      const stream = await get(undefined, connection.signal);
      await followStream(stream, { get: getAgain, onMessage, signal: connection.signal, onLog });
    } catch (error) {
      // Most servers do not offer a notification stream, which is fine; an unreachable server is a failure.
      connection.handleFailure(error);
    }
  };

  return {
    pid: undefined,
    closed: connection.closed,
    send(message, requestHeaders) {
      if (message.method !== undefined && typeof message.id === 'number')
        void exchange(message, message.id, requestHeaders);
      else if (message.method === 'notifications/initialized')
        ready = notify(message).then(() => void listen());
      else void ready.then(() => notify(message));
    },
    cancel(requestId, reason) {
      const notified = isStateless()
        ? Promise.resolve()
        : notify({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
      // In the newer revision, closing the stream cancels the request; in older ones, the stream could stay open forever.
      void notified.then(() => exchanges.get(requestId)?.abort());
    },
    useProtocol(agreed) {
      version = agreed;
    },
    close: () =>
      connection.close(async (signal) => {
        if (sessionId === undefined || isStateless()) return;
        const response = await client.request({ method: 'DELETE', headers: commonHeaders(), signal });
        await response.body.dump();
      }),
  };
}

/**
 * Returns headers that repeat parts of a request for proxies, as revision 2026-07-28 requires.
 * @see https://modelcontextprotocol.io/specification/2026-07-28/basic/transports/streamable-http#request-metadata
 */
function statelessHeaders({ method = '', params = {} }: RpcMessage): Record<string, string> {
  const key = NAMED_BY[method];
  return {
    'mcp-method': method,
    ...(key !== undefined && { 'mcp-name': encodeHeader(String(params[key])) }),
  };
}

interface FollowOptions {
  /** Requests a stream of the events after the one with this ID. */
  readonly get: (lastEventId: string | undefined, signal: AbortSignal) => Promise<RemoteResponse>;
  readonly onMessage: (message: RpcMessage) => void;
  readonly signal: AbortSignal;
  /** The request whose response ends the stream; if undefined, the stream is followed until the signal is aborted. */
  readonly requestId?: number | undefined;
  /** Maximum size of a message on a request's stream. */
  readonly maxCharacters?: number | undefined;
  readonly onLog: (line: string) => void;
}

/** Delay before a stream is resumed, unless the server specifies one. */
const RESUME_MS = 1000;
/** How long after the response the stream is closed if the server does not end it. */
const CLOSE_MS = 1000;

/** Reads a stream, and resumes it if it ends without the response. */
async function followStream(first: RemoteResponse, options: FollowOptions): Promise<void> {
  const { get, onMessage, signal, requestId, maxCharacters, onLog } = options;
  let lastEventId: string | undefined;
  let resumeMs = RESUME_MS;
  let closeTimer: NodeJS.Timeout | undefined;

  for (let response = first; ; response = await get(lastEventId, signal)) {
    try {
      for await (const event of readEvents(response.body, maxCharacters)) {
        lastEventId = event.id ?? lastEventId;
        resumeMs = event.retryMs ?? resumeMs;
        if (!isMessage(event)) continue;
        const messages = parseMessages(event.data);
        if (!messages) onLog(`stream: ${event.data.slice(0, MAX_LOG_LINE)}`);
        for (const message of messages ?? []) {
          onMessage(message);
          if (message.method !== undefined || message.id !== requestId) continue;
          // The rest of the stream is read, so that the connection can be reused.
          closeTimer ??= setTimeout(() => response.body.destroy(), CLOSE_MS);
        }
      }
    } catch (error) {
      if (signal.aborted || error instanceof EventTooLong || error instanceof ResultTooLarge) throw error;
      // A broken stream is treated like one that ended normally.
    } finally {
      clearTimeout(closeTimer);
    }
    const canResume = requestId === undefined || lastEventId !== undefined;
    if (closeTimer !== undefined || !canResume) return;
    await sleep(resumeMs, undefined, { signal });
  }
}
