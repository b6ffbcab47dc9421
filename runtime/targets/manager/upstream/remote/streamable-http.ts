import { messageOf } from '../../../../contract/errors.ts';
import { FIRST_STATELESS_VERSION } from '../../../../serve/mcp/protocol-version.ts';
import type { RemoteLaunch, ServerTimeouts } from '../../config/spec.ts';
import { ConnectionClosed, SessionForgotten } from '../connection.ts';
import type { RpcMessage } from '../rpc-message.ts';
import type { Transport, TransportHooks } from '../transport.ts';
import { followStream } from './follow-stream.ts';
import { openLink } from './link.ts';
import { failureOf, header, mediaType, readMessagesOf } from './read-answer.ts';
import { createParameterHeaders } from './parameter-headers.ts';
import type { RemoteAnswer } from './remote-client.ts';
import { statelessHeaders } from './stateless-headers.ts';
import { isObject } from '../../../../core/json/is-object.ts';

const ACCEPT = { accept: 'application/json, text/event-stream' };
const ACCEPT_STREAM = { accept: 'text/event-stream' };
const JSON_TYPE = { 'content-type': 'application/json' };

/** For what was asked before the server forgot the session. */
const LAST_ANSWERS_MS = 1000;

/**
 * One POST a message. The SDK has such a transport too, but it parses answers in ways that alter large numbers, has no limit
 * for their size, and no headers for each request, which revision 2026-07-28 demands.
 * @see https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http
 */
export async function openStreamableHttp(
  launch: RemoteLaunch,
  timeouts: ServerTimeouts,
  { onMessage, onLost, onLog }: TransportHooks,
): Promise<Transport> {
  const link = openLink(launch, timeouts);
  const { client } = link;
  const exchanges = new Map<number, AbortController>();
  const parameterHeaders = createParameterHeaders(onLog);
  let sessionId: string | undefined;
  let version: string | undefined;
  let forgotten: NodeJS.Timeout | undefined;
  /** Requests wait for the end of the handshake: they travel on connections of their own and might overtake it. */
  let ready: Promise<unknown> = Promise.resolve();

  /** Other requests are on their way, and to be refused or answered as well. */
  const forget = (): void => {
    forgotten ??= setTimeout(endForgotten, LAST_ANSWERS_MS).unref();
    if (exchanges.size === 0) endForgotten();
  };
  const endForgotten = (): void => {
    clearTimeout(forgotten);
    link.end(new SessionForgotten().message);
  };
  const isStateless = (): boolean => version !== undefined && version >= FIRST_STATELESS_VERSION;
  const commonHeaders = (): Record<string, string> => ({
    ...(sessionId !== undefined && { 'mcp-session-id': sessionId }),
    ...(version !== undefined && { 'mcp-protocol-version': version }),
  });

  const post = async (message: RpcMessage, signal: AbortSignal): Promise<RemoteAnswer> => {
    const headers = {
      ...commonHeaders(),
      ...(isStateless() && statelessHeaders(message)),
      ...(message.method === 'tools/call' && parameterHeaders.headersFor(message.params)),
      ...ACCEPT,
      ...JSON_TYPE,
    };
    const body = JSON.stringify(message);
    const answer = await client.request({ method: 'POST', headers, body, signal });
    if (answer.status === 404 && sessionId !== undefined) {
      await answer.body.dump();
      forget();
      throw new SessionForgotten();
    }
    if (answer.status >= 300) throw await failureOf(answer, client.place);
    if (message.method === 'initialize') sessionId = header(answer, 'mcp-session-id');
    return answer;
  };
  const get = async (lastEventId: string | undefined, signal: AbortSignal): Promise<RemoteAnswer> => {
    const resume = lastEventId === undefined ? {} : { 'last-event-id': lastEventId };
    const headers = { ...commonHeaders(), ...ACCEPT_STREAM, ...resume };
    const answer = await client.request({ method: 'GET', headers, signal });
    if (answer.status >= 300) throw await failureOf(answer, client.place);
    return answer;
  };

  const onAnswerTo = (request: RpcMessage, id: number, message: RpcMessage): void => {
    const { result } = message;
    const isToolList = isStateless() && request.method === 'tools/list' && isObject(result);
    onMessage(isToolList ? { ...message, result: parameterHeaders.learn(result) } : message, id);
  };
  const exchange = async (request: RpcMessage, id: number): Promise<void> => {
    const abort = new AbortController();
    exchanges.set(id, abort);
    const signal = AbortSignal.any([abort.signal, link.over]);
    const take = (message: RpcMessage): void => onAnswerTo(request, id, message);
    try {
      await ready;
      if (forgotten) throw new SessionForgotten();
      const answer = await post(request, signal);
      if (mediaType(answer) === 'text/event-stream') {
        await followStream(answer, { get, take, signal, awaited: id, onLog });
      } else (await readMessagesOf(answer, client.place)).forEach(take);
      onLost(id, new ConnectionClosed(`${client.place} sent no answer.`));
    } catch (error) {
      onLost(id, link.judge(error));
    } finally {
      exchanges.delete(id);
      if (forgotten && exchanges.size === 0) endForgotten();
    }
  };
  const tell = async (message: RpcMessage): Promise<void> => {
    try {
      const answer = await post(message, link.over);
      await answer.body.dump();
    } catch (error) {
      if (!link.over.aborted)
        onLog(`\`${message.method ?? 'an answer'}\` was not taken: ${messageOf(link.judge(error))}`);
    }
  };
  const listen = async (): Promise<void> => {
    try {
      const stream = await get(undefined, link.over);
      await followStream(stream, { get, take: onMessage, signal: link.over, onLog });
    } catch (error) {
      // Most servers have no stream of their own, which is no failure; but a server that is gone is.
      link.judge(error);
    }
  };

  return {
    pid: undefined,
    closed: link.closed,
    send(message) {
      if (message.method !== undefined && typeof message.id === 'number') void exchange(message, message.id);
      else if (message.method === 'notifications/initialized')
        ready = tell(message).then(() => void listen());
      else void ready.then(() => tell(message));
    },
    cancel(requestId, reason) {
      const told = isStateless()
        ? Promise.resolve()
        : tell({ jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId, reason } });
      // In the newer revision this is the cancellation; in the older ones the stream might stay open for ever.
      void told.then(() => exchanges.get(requestId)?.abort());
    },
    useProtocol(agreed) {
      version = agreed;
    },
    close: () =>
      link.close(async (signal) => {
        if (sessionId === undefined || isStateless()) return;
        const answer = await client.request({ method: 'DELETE', headers: commonHeaders(), signal });
        await answer.body.dump();
      }),
  };
}
