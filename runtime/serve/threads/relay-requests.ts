import {
  type ClientRequest,
  type IncomingMessage,
  request as sendRequest,
  type ServerResponse,
} from 'node:http';
import { type Duplex, pipeline } from 'node:stream';
import { HTTP_STATUS } from '../errors/http-status.ts';
import { shuttingDown } from '../lifecycle.ts';
import { answerRejected, type Refuse } from '../http/invalid-requests.ts';
import type { Upgrades } from '../http/listen.ts';
import type { ConnectionEnds } from './port-connection.ts';

interface RelayOptions {
  /** Opens a connection to the other server, for a client's connection. */
  readonly connect: (ends: ConnectionEnds) => Duplex;
  /** Error format for requests that the other server can no longer handle. */
  readonly refuse: Refuse;
}

/** Passes requests, and connections that switch to another protocol, to another server in this process. */
export interface Relay {
  readonly request: (incoming: IncomingMessage, outgoing: ServerResponse) => void;
  readonly upgrades: Upgrades;
}

export function createRelay({ connect, refuse }: RelayOptions): Relay {
  const open = (incoming: IncomingMessage, headers: readonly string[]): ClientRequest => {
    const { method, url, socket } = incoming;
    const { remoteAddress, localAddress, localPort } = socket;
    const encrypted = 'encrypted' in socket && socket.encrypted === true;
    // Each request has its own connection, so that the client's end is known for each.
    return sendRequest({
      createConnection: () => connect({ remoteAddress, localAddress, localPort, encrypted }),
      method,
      path: url,
      headers,
    });
  };
  const unavailable = (outgoing: ServerResponse): void => {
    if (outgoing.headersSent) {
      outgoing.destroy();
      return;
    }
    const error = shuttingDown();
    void answerRejected(outgoing, refuse(error, HTTP_STATUS[error.code]));
  };

  return {
    request(incoming, outgoing) {
      const upstream = open(incoming, requestHeaders(incoming));
      upstream.on('response', (answer) => {
        outgoing.writeHead(
          answer.statusCode ?? 500,
          answer.statusMessage ?? '',
          ownHeaders(answer.rawHeaders, RESPONSE_HOP_HEADERS),
        );
        // Events must not wait for the first chunk.
        outgoing.flushHeaders();
        pipeline(answer, outgoing, () => upstream.destroy());
      });
      upstream.on('error', () => unavailable(outgoing));
      // What the other server did not read is skipped, so that the connection can be used again.
      upstream.once('close', () => {
        incoming.unpipe(upstream);
        incoming.resume();
      });
      outgoing.once('close', () => upstream.destroy());
      const sendBody = (): void => void incoming.pipe(upstream);
      if (incoming.headers.expect === undefined) sendBody();
      else {
        // The body is only requested from the client when the other server reads it.
        upstream.once('continue', sendBody);
        upstream.flushHeaders();
      }
    },
    upgrades: {
      accepts: ({ method, headers }) => method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket',
      take(incoming, socket, head) {
        const upstream = open(incoming, incoming.rawHeaders);
        socket.on('error', () => socket.destroy());
        socket.once('close', () => upstream.destroy());
        upstream.on('error', () => socket.destroy());
        upstream.on('upgrade', (answer, connection, first) => {
          socket.write(headOf(answer));
          socket.write(first);
          connection.write(head);
          connection.on('error', () => socket.destroy());
          // After an orderly end, the client still has to receive the last bytes.
          connection.once('close', () => {
            if (!connection.readableEnded) socket.destroy();
          });
          socket.pipe(connection).pipe(socket);
        });
        upstream.on('response', (answer) => {
          // The end of the connection is the end of the body.
          const headers = ownHeaders(answer.rawHeaders, RESPONSE_HOP_HEADERS);
          const { statusCode, statusMessage } = answer;
          socket.write(
            headOf({ statusCode, statusMessage, rawHeaders: [...headers, 'Connection', 'close'] }),
          );
          pipeline(answer, socket, () => undefined);
        });
        upstream.end();
      },
    },
  };
}

/** Headers that only concern one connection. The framing of a request's body is kept. */
const REQUEST_HOP_HEADERS: ReadonlySet<string> = new Set(['connection', 'keep-alive', 'proxy-connection']);
const RESPONSE_HOP_HEADERS: ReadonlySet<string> = new Set([...REQUEST_HOP_HEADERS, 'transfer-encoding']);

/** Returns alternating names and values without the given headers. */
const ownHeaders = (raw: readonly string[], without: ReadonlySet<string>): string[] =>
  raw.filter((_text, index) => !without.has((raw[index - (index % 2)] ?? '').toLowerCase()));

function requestHeaders({ method = '', headers, rawHeaders, httpVersion }: IncomingMessage): string[] {
  const own = ownHeaders(rawHeaders, REQUEST_HOP_HEADERS);
  // The relayed request is HTTP/1.1, which requires a host.
  if (httpVersion === '1.0' && headers.host === undefined) own.push('Host', 'localhost');
  const hasFraming = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined;
  // Node would add the framing of a body to a request that has none.
  return hasFraming || BODILESS.has(method) ? own : [...own, 'Content-Length', '0'];
}

const BODILESS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS', 'TRACE']);

type AnswerHead = Pick<IncomingMessage, 'statusCode' | 'statusMessage' | 'rawHeaders'>;

function headOf({ statusCode = 500, statusMessage = '', rawHeaders }: AnswerHead): string {
  const lines = rawHeaders.map((text, index) => (index % 2 === 0 ? `${text}: ` : `${text}\r\n`));
  return `HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines.join('')}\r\n`;
}
