import { createHash } from 'node:crypto';
import { type IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { AppError } from '#contract/errors.ts';
import { HTTP_STATUS } from '#serve/errors/http-status.ts';
import { requireDistinctParameters } from '#serve/http/query.ts';
import { createHostCheck, requestIdFrom } from '#serve/http/request-head.ts';
import { answerRejected } from '#serve/http/invalid-requests.ts';
import type { Upgrades } from '#serve/http/listen.ts';
import { nodeHeaders } from '#serve/telemetry/request-trace.ts';
import type { HeaderReader } from '../accounts/identity/identity.ts';
import type { GatewayContext } from '../context.ts';
import { createRealtime } from '../requests/realtime/open-session.ts';
import { REALTIME } from '../requests/realtime/realtime-account.ts';
import { CLOSE } from '../requests/realtime/relay-session.ts';
import { type GatewayAppOptions, hostRulesOf } from './app-options.ts';
import { createSignIn } from './guards.ts';
import { malformedRequestAnswer } from './http/errors.ts';

/**
 * Browsers cannot set headers for WebSocket connections, so browser clients send the key as a protocol
 * name.
 */
const KEY_PROTOCOL = 'openai-insecure-api-key.';

const protocolsIn = (header: string | undefined): string[] =>
  (header ?? '')
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

const keyInProtocols = (protocols: readonly string[]): string | undefined =>
  protocols.find((name) => name.startsWith(KEY_PROTOCOL))?.slice(KEY_PROTOCOL.length);

/** The headers, with the key from a protocol name added if no header contains a key. */
const withProtocolKey = (headers: HeaderReader, key: string | undefined): HeaderReader => ({
  get: (name) => headers.get(name) ?? (name.toLowerCase() === 'x-api-key' ? key : undefined),
});

const PATH = new RegExp(`^(?:/api)?${REALTIME}/?(?:\\?|$)`);

/** `/v1/realtime`: sessions over WebSocket. @see https://platform.openai.com/docs/guides/realtime-websocket */
export function realtimeUpgrades(context: GatewayContext, options: GatewayAppOptions): Upgrades {
  const { kernel, state, models, policy, providerQueue, clock } = context;
  const { lifecycle, log } = kernel;
  const signIn = createSignIn(context);
  const open = createRealtime({ state, models, policy, providerQueue, clock, log });
  const rules = hostRulesOf(options);
  const refusal = rules && createHostCheck(rules);

  const start = async (incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> => {
    const { url = '', headers } = incoming;
    const requestId = requestIdFrom(headers['x-request-id']);
    const gone = new AbortController();
    socket.once('close', () => gone.abort());
    const protocols = protocolsIn(headers['sec-websocket-protocol']);
    const given = nodeHeaders(headers);
    const reader = { get: (name: string) => given.get(name) ?? null };
    const reason = refusal?.({ url: `http://localhost${url}`, headers: reader });
    if (reason !== undefined) throw new AppError('ForbiddenError', reason);
    const credential = withProtocolKey(reader, keyInProtocols(protocols));
    const { payer, name, again } = await signIn.modelCaller(credential);
    const key = headers['sec-websocket-key'];
    if (headers['sec-websocket-version'] !== '13' || key === undefined)
      throw new AppError(
        'MalformedError',
        'Unsupported WebSocket handshake. Use WebSocket version 13, and send Sec-WebSocket-Key.',
      );
    requireDistinctParameters(url, () => false);
    const query = new URL(url, 'http://localhost').searchParams;
    const model = query.get('model') ?? '';
    if (model === '')
      throw new AppError(
        'InputError',
        'model is missing: set it in the query, e.g. ?model=openai:gpt-realtime',
      );
    let session: Awaited<ReturnType<typeof open>> | undefined;
    const leave = lifecycle.enter((cut) => {
      session?.close(CLOSE.goingAway, cut.message);
      gone.abort();
    });
    try {
      session = await open({
        caller: payer,
        callerAgain: again,
        user: query.get('user') ?? undefined,
        model,
        headers: betaHeaders(headers['openai-beta'], protocols),
        requestId,
        signal: gone.signal,
        accept() {
          socket.write(acceptance(key, protocols, requestId));
          if (head.length > 0) socket.unshift(head);
          return socket;
        },
      });
    } catch (error) {
      leave();
      throw error;
    }
    log.info({ requestId, caller: name, model }, 'realtime session');
    void session.ended.then(leave);
  };

  return {
    accepts: ({ url = '', method, headers }) =>
      method === 'GET' && PATH.test(url) && headers.upgrade?.toLowerCase() === 'websocket',
    take(incoming, socket, head) {
      socket.on('error', () => socket.destroy());
      void start(incoming, socket, head).catch((error: unknown) => refuse(incoming, socket, error));
    },
  };
}

/** Sends an HTTP response to a request that is not upgraded to a WebSocket. */
function refuse(incoming: IncomingMessage, socket: Duplex, thrown: unknown): void {
  const error = AppError.from(thrown);
  const response = new ServerResponse(incoming);
  response.shouldKeepAlive = false;
  response.assignSocket(socket as Socket);
  response.once('finish', () => socket.end());
  void answerRejected(response, malformedRequestAnswer(error, HTTP_STATUS[error.code]));
}

/** @see https://www.rfc-editor.org/rfc/rfc6455#section-1.3 */
const GUID = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

function acceptance(key: string, protocols: readonly string[], requestId: string): string {
  const accept = createHash('sha1')
    .update(key + GUID)
    .digest('base64');
  // Some clients reject a server that selects none of the offered protocols.
  const protocol = protocols.find((name) => name === 'realtime');
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${accept}`,
    ...(protocol === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocol}`]),
    `X-Request-Id: ${requestId}`,
  ];
  return `${lines.join('\r\n')}\r\n\r\n`;
}

/** The API version that the client uses: browsers send it in a protocol name, other clients in a header. */
function betaHeaders(
  header: string | readonly string[] | undefined,
  protocols: readonly string[],
): Record<string, string> {
  const beta = typeof header === 'string' ? header : undefined;
  if (beta !== undefined) return { 'openai-beta': beta };
  return protocols.includes('openai-beta.realtime-v1') ? { 'openai-beta': 'realtime=v1' } : {};
}
