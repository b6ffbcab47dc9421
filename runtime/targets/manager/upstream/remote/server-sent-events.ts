import { messageOf } from '#contract/errors.ts';
import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import { type RequestHeaders, MAX_LOG_LINE, type Transport, type TransportHooks } from '../connection.ts';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import { isMessage, readEvents } from './read-events.ts';
import { openRemoteConnection } from './remote-connection.ts';
import { responseFailure, mediaType } from './read-response.ts';
import { UnexpectedResponse } from './unexpected-response.ts';

/**
 * The transport before streamable HTTP: one stream for all of the server's messages, and a URL for messages
 * to it.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export async function openServerSentEvents(
  launch: RemoteLaunch,
  timeouts: ServerTimeouts,
  { onMessage, onLost, onLog, signIns, ...users }: TransportHooks,
): Promise<Transport> {
  const connection = openRemoteConnection(launch, timeouts, signIns, users);
  const { client, signal } = connection;
  const endpoint = Promise.withResolvers<URL>();
  // Messages await the endpoint later; until then, its rejection must not count as unhandled.
  endpoint.promise.catch(() => undefined);
  let version: string | undefined;

  const openStream = async () => {
    const headers = { accept: 'text/event-stream' };
    const response = await client.request({ method: 'GET', headers, signal });
    if (response.status >= 300) throw await responseFailure(response, client.place);
    if (mediaType(response) === 'text/event-stream') return response;
    await response.body.dump();
    throw new UnexpectedResponse(
      response.status,
      `${client.place} does not return an event stream. Use transport \`http\`.`,
    );
  };
  const receive = (data: string): void => {
    const messages = parseMessages(data);
    if (messages) for (const message of messages) onMessage(message);
    else onLog(`stream: ${data.slice(0, MAX_LOG_LINE)}`);
  };
  const listen = async (): Promise<void> => {
    const { body } = await openStream();
    const broken = `${client.place} closed its event stream.`;
    // Clearer than the message of the undici error.
    body.on('error', () => connection.end(broken));
    for await (const event of readEvents(body)) {
      if (event.event === 'endpoint') endpoint.resolve(sameOrigin(event.data ?? '', client.url));
      else if (isMessage(event)) receive(event.data);
    }
    throw new Error(broken);
  };
  listen().catch((error: unknown) => {
    endpoint.reject(error);
    connection.end(messageOf(error));
  });

  const post = async (message: RpcMessage, requestHeaders?: RequestHeaders): Promise<void> => {
    const headers = {
      'content-type': 'application/json',
      ...requestHeaders,
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    };
    const url = await endpoint.promise;
    const response = await client.request({
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      signal,
      url,
    });
    if (response.status >= 300) throw await responseFailure(response, client.place);
    await response.body.dump();
  };
  /** Messages wait for the end of the handshake: each uses its own connection and could overtake it. */
  let ready: Promise<void> = Promise.resolve();
  const deliver = async (message: RpcMessage, requestHeaders?: RequestHeaders): Promise<void> => {
    try {
      await post(message, requestHeaders);
    } catch (error) {
      const reason = connection.handleFailure(error);
      if (typeof message.id === 'number') onLost(message.id, reason);
      else if (!signal.aborted) onLog(`\`${message.method}\` was not delivered: ${messageOf(reason)}`);
    }
  };
  const send = (message: RpcMessage, requestHeaders?: RequestHeaders): void => {
    const delivered = ready.then(() => deliver(message, requestHeaders));
    if (message.method === 'notifications/initialized') ready = delivered;
  };

  return {
    pid: undefined,
    closed: connection.closed,
    send,
    cancel: (requestId, reason) =>
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    useProtocol(agreed) {
      version = agreed;
    },
    close: () => connection.close(),
  };
}

/** Rejects an endpoint on another origin, because requests to it would contain this server's credentials. */
function sameOrigin(endpoint: string, serverUrl: URL): URL {
  const url = new URL(endpoint, serverUrl);
  if (url.origin === serverUrl.origin) return url;
  throw new Error(`The message endpoint of ${serverUrl.origin} is on another origin: ${url.origin}.`);
}
