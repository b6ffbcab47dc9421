import { messageOf } from '../../../../contract/errors.ts';
import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import { parseMessages, type RpcMessage } from '../rpc-message.ts';
import { MAX_LOG_LINE, type Transport, type TransportHooks } from '../transport.ts';
import { isMessage, readEvents } from './read-events.ts';
import { openLink } from './link.ts';
import { failureOf, mediaType } from './read-answer.ts';
import { UnusableAnswer } from './unusable-answer.ts';

/**
 * The transport before streamable HTTP: one stream for all that the server says, and an address for what it is told.
 * @see https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export async function openServerSentEvents(
  launch: RemoteLaunch,
  timeouts: ServerTimeouts,
  { onMessage, onLost, onLog }: TransportHooks,
): Promise<Transport> {
  const link = openLink(launch, timeouts);
  const { client, over } = link;
  const address = Promise.withResolvers<URL>();
  // Awaited by whatever is sent first.
  address.promise.catch(() => undefined);
  let version: string | undefined;

  const openStream = async () => {
    const headers = { accept: 'text/event-stream' };
    const answer = await client.request({ method: 'GET', headers, signal: over });
    if (answer.status >= 300) throw await failureOf(answer, client.place);
    if (mediaType(answer) === 'text/event-stream') return answer;
    await answer.body.dump();
    throw new UnusableAnswer(
      answer.status,
      `${client.place} has no event stream. Use the transport \`http\`.`,
    );
  };
  const takeMessages = (data: string): void => {
    const messages = parseMessages(data);
    if (messages) for (const message of messages) onMessage(message);
    else onLog(`stream: ${data.slice(0, MAX_LOG_LINE)}`);
  };
  const listen = async (): Promise<void> => {
    const { body } = await openStream();
    const broken = `${client.place} ended its event stream.`;
    // An undici error says little that people understand.
    body.on('error', () => link.end(broken));
    for await (const event of readEvents(body)) {
      if (event.event === 'endpoint') address.resolve(sameOrigin(event.data ?? '', client.url));
      else if (isMessage(event)) takeMessages(event.data);
    }
    throw new Error(broken);
  };
  listen().catch((error: unknown) => {
    address.reject(error);
    link.end(messageOf(error));
  });

  const post = async (message: RpcMessage): Promise<void> => {
    const headers = {
      'content-type': 'application/json',
      ...(version !== undefined && { 'mcp-protocol-version': version }),
    };
    const url = await address.promise;
    const answer = await client.request({
      method: 'POST',
      headers,
      body: JSON.stringify(message),
      signal: over,
      url,
    });
    if (answer.status >= 300) throw await failureOf(answer, client.place);
    await answer.body.dump();
  };
  /** Everything waits for the end of the handshake: messages travel on connections of their own and might overtake it. */
  let ready: Promise<void> = Promise.resolve();
  const deliver = async (message: RpcMessage): Promise<void> => {
    try {
      await post(message);
    } catch (error) {
      const reason = link.judge(error);
      if (typeof message.id === 'number') onLost(message.id, reason);
      else if (!over.aborted) onLog(`\`${message.method}\` was not taken: ${messageOf(reason)}`);
    }
  };
  const send = (message: RpcMessage): void => {
    const delivered = ready.then(() => deliver(message));
    if (message.method === 'notifications/initialized') ready = delivered;
  };

  return {
    pid: undefined,
    closed: link.closed,
    send,
    cancel: (requestId, reason) =>
      send({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } }),
    useProtocol(agreed) {
      version = agreed;
    },
    close: () => link.close(),
  };
}

/** A server that sends its clients elsewhere would be given their credentials for another place. */
function sameOrigin(address: string, home: URL): URL {
  const url = new URL(address, home);
  if (url.origin === home.origin) return url;
  throw new Error(`${home.origin} sends messages to another place, ${url.origin}.`);
}
