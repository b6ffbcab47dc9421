import { randomUUID } from 'node:crypto';
import { settlesWithin } from '#platform/wait-for.ts';
import { type HttpExchange, STREAM_TYPE } from '../http/exchange.ts';
import { createHostCheck, type HostRules } from '../http/request-head.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import { createMessageSession, type MessageSession, type ServerSource } from './message-session.ts';
import { readJsonBody } from './read-message.ts';
import { readClientMessages } from './rpc-message.ts';

export interface McpSseOptions<Client> extends HostRules {
  /** Creates the server of a new session. */
  readonly createServer: Extract<ServerSource<Client>, (...args: never) => unknown>;
  /** Parses bodies. It replaces JSON.parse, so that values can be preserved exactly. */
  readonly parseBody?: ((text: string) => unknown) | undefined;
  /** Maximum body size. Default: 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /** Maximum number of open streams. Default: 1000. */
  readonly maxSessions?: number | undefined;
  /** Interval of keepalive comments, which prevent intermediaries from closing the connection as idle. */
  readonly keepAliveMilliseconds?: number | undefined;
}

/**
 * MCP over HTTP with SSE, for clients that do not support streamable HTTP:
 * https://modelcontextprotocol.io/specification/2024-11-05/basic/transports#http-with-sse
 */
export interface McpSse<Client> {
  /**
   * Opens a session and its stream. Its first event is the URL for messages: `messagesPath` with
   * the session ID.
   */
  open(exchange: HttpExchange, client: Client, messagesPath: string): void;
  /**
   * Handles messages for a session. `clientFor` returns the client that sends the messages;
   * undefined if that client is not allowed to use the session.
   */
  post(exchange: HttpExchange, clientFor: (opener: Client) => Client | undefined): Promise<void>;
  /** Ends the sessions of some clients, with their requests and streams. */
  endSessions(isMeant: (opener: Client) => boolean): void;
  /** Waits for accepted requests, then ends all sessions. */
  close(graceMilliseconds: number): Promise<void>;
}

interface Open<Client> {
  readonly opener: Client;
  readonly session: MessageSession<Client>;
  readonly end: () => void;
}

const KEEP_ALIVE = 15_000;
const SESSION_PARAMETER = 'sessionId';

export function createMcpSse<Client>(options: McpSseOptions<Client>): McpSse<Client> {
  const { maxSessions = 1000, keepAliveMilliseconds = KEEP_ALIVE } = options;
  const checkHost = createHostCheck(options);
  const sessions = new Map<string, Open<Client>>();
  let closed = false;

  return {
    open(exchange, client, messagesPath) {
      const refusal = checkHost(exchange);
      if (refusal !== undefined) return exchange.answer(HTTP_ERRORS.forbidden(refusal));
      if (closed) return exchange.answer(HTTP_ERRORS.closed());
      if (sessions.size >= maxSessions) return exchange.answer(HTTP_ERRORS.full());
      const id = randomUUID();
      const sink = exchange.stream(STREAM_TYPE);
      const session = createMessageSession<Client>(options.createServer, {
        tell: (json) => sink.write(`event: message\ndata: ${json}\n\n`),
      });
      const timer = setInterval(() => sink.write(': keepalive\n\n'), keepAliveMilliseconds).unref();
      const leave = (): void => {
        clearInterval(timer);
        sessions.delete(id);
        session.close();
      };
      const end = (): void => {
        leave();
        sink.end();
      };
      exchange.onGone(leave);
      sessions.set(id, { opener: client, session, end });
      const separator = messagesPath.includes('?') ? '&' : '?';
      sink.write(`event: endpoint\ndata: ${messagesPath}${separator}${SESSION_PARAMETER}=${id}\n\n`);
    },
    async post(exchange, clientFor) {
      const refusal = checkHost(exchange);
      if (refusal !== undefined) return exchange.answer(HTTP_ERRORS.forbidden(refusal));
      const id = sessionIn(exchange.url);
      if (id === null) return exchange.answer(HTTP_ERRORS.noStream());
      const found = sessions.get(id);
      const client = found && clientFor(found.opener);
      if (!found || client === undefined) return exchange.answer(HTTP_ERRORS.unknownStream());
      const { parseBody: parse, maxBodyBytes: maxBytes } = options;
      const body = await readJsonBody(exchange, { parse, maxBytes });
      if ('refusal' in body) return exchange.answer(body.refusal);
      const messages = readClientMessages(body.value);
      if (!messages) {
        return exchange.answer(
          HTTP_ERRORS.invalid('Invalid request: the body is not a JSON-RPC 2.0 message.'),
        );
      }
      if (!found.session.take(messages, Array.isArray(body.value), client)) {
        return exchange.answer(HTTP_ERRORS.listRefused());
      }
      exchange.answer({ status: 202, headers: { 'content-type': 'text/plain' }, body: 'Accepted' });
    },
    endSessions(isMeant) {
      for (const { opener, end } of sessions.values()) if (isMeant(opener)) end();
    },
    async close(graceMilliseconds) {
      closed = true;
      const endings = [...sessions.values()].map(async ({ session, end }) => {
        await settlesWithin(graceMilliseconds, session.settled());
        end();
      });
      await Promise.all(endings);
    },
  };
}

const sessionIn = (url: string): string | null =>
  new URLSearchParams(url.slice(url.indexOf('?') + 1)).get(SESSION_PARAMETER);
