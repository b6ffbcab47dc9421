import { randomUUID } from 'node:crypto';
import { settlesWithin } from '#platform/wait-for.ts';
import { createHostCheck, type HostRules } from '../http/request-head.ts';
import { createEventLog, type EventLog, type StreamLog } from './event-log.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import { type HttpAnswer, type HttpExchange, JSON_TYPE } from '../http/exchange.ts';
import { alreadyOpen, isInitialize, readInitialize, initializeResponse } from './initialize.ts';
import {
  declaresStatelessVersion,
  PROTOCOL_VERSION_HEADER,
  SESSION_VERSIONS,
  type SessionVersion,
  BATCH_VERSION,
  FIRST_PRIMED_VERSION,
} from './protocol-version.ts';
import { accepts, readPosted, type PostedMessages } from './read-message.ts';
import type { SessionLink, SessionServer } from './session-server.ts';
import { type SessionClock, createSessionStore, systemSessionClock } from './session-store.ts';
import { isOneOf } from '#core/values/is-one-of.ts';
import { createEventStream, type EventStream, parseEventId } from './event-stream.ts';
import { createMcpSession, notification } from './mcp-session.ts';
import { createPostAnswer, type PostAnswer } from './post-answer.ts';
import type { RequestId } from './rpc-message.ts';

export interface McpHttpOptions<Client = void> extends HostRules {
  /** Creates the server of a new session. */
  readonly createServer: (
    link: SessionLink,
    opener: Client,
  ) => SessionServer<Client> | Promise<SessionServer<Client>>;
  /** Whether a client can use a session that another client opened. Default: always. */
  readonly canShare?: ((opener: Client, other: Client) => boolean) | undefined;
  /** Parses bodies. It replaces JSON.parse, so that values can be preserved exactly. */
  readonly parseBody?: ((text: string) => unknown) | undefined;
  /** Handles requests with a protocol version without sessions (2026-07-28 or later). */
  readonly stateless?: ((exchange: HttpExchange, client: Client) => Promise<void>) | undefined;
  /** Protocol version for clients that request an unknown one. Default: the newest. */
  readonly offeredVersion?: SessionVersion | undefined;
  /**
   * Maximum number of sessions. If it is reached, a new session replaces the session that has been
   * idle for the longest time. Default: 1000.
   */
  readonly maxSessions?: number | undefined;
  /** Time after which a session without requests or open streams is removed. Default: 30 minutes. */
  readonly idleMilliseconds?: number | undefined;
  /** Maximum body size. Default: 4 MiB. */
  readonly maxBodyBytes?: number | undefined;
  /**
   * Whether to cancel requests and drop responses when the client disconnects. In MCP, a lost
   * connection does not cancel requests, so only set this option if the tools have no side effects.
   */
  readonly cancelWhenGone?: boolean | undefined;
  /** Time in milliseconds after which a response becomes a stream. Default: one second. */
  readonly streamAfterMilliseconds?: number | undefined;
  readonly clock?: SessionClock | undefined;
}

export interface McpHttp<Client = void> {
  /** Handles any request to the MCP endpoint. Can resolve before the response has started. */
  readonly handle: (exchange: HttpExchange, client: Client) => Promise<void>;
  /** Waits for accepted requests (two seconds by default), then closes all sessions. */
  readonly close: (graceMilliseconds?: number) => Promise<void>;
  /** Closes the sessions of some clients, with their requests and streams. */
  readonly endSessions: (isMeant: (opener: Client) => boolean) => void;
  /** Number of sessions. */
  readonly sessions: () => number;
}

interface Known<Client> {
  readonly id: string;
  readonly opener: Client;
  /** Undefined while the session is being opened. */
  session?: HttpSession<Client>;
  /** Whether the session was ended, possibly before it was open. */
  isEnded?: boolean;
}

const METHODS = ['GET', 'POST', 'DELETE'];
const HALF_AN_HOUR = 30 * 60_000;
const ONE_SECOND = 1000;
/** Maximum total number of JSON characters that are recorded for all sessions. */
const MAX_RECORDED_CHARACTERS = 32 * 1_048_576;

/** MCP over streamable HTTP: https://modelcontextprotocol.io/specification/2025-11-25/basic/transports#streamable-http */
export function createMcpHttp<Client = void>(options: McpHttpOptions<Client>): McpHttp<Client> {
  const { canShare = () => true, maxBodyBytes: maxBytes, parseBody: parse } = options;
  const checkHost = createHostCheck(options);
  const log = options.cancelWhenGone === true ? undefined : createEventLog(MAX_RECORDED_CHARACTERS);
  const store = createSessionStore<Known<Client>>({
    max: options.maxSessions ?? 1000,
    idleMilliseconds: options.idleMilliseconds ?? HALF_AN_HOUR,
    clock: options.clock ?? systemSessionClock,
    onDrop: ({ session }) => session?.close(),
  });
  let closed = false;

  async function start(exchange: HttpExchange, opener: Client): Promise<void> {
    const posted = await readPosted(exchange, { parse, maxBytes });
    if ('refusal' in posted) return exchange.answer(posted.refusal);
    const [message] = posted.messages;
    if (posted.messages.length > 1 || !isInitialize(message)) {
      return exchange.answer(HTTP_ERRORS.noSession());
    }
    const id = randomUUID();
    const known: Known<Client> = { id, opener };
    if (closed || !store.add(id, known)) return exchange.answer(HTTP_ERRORS.full());
    const leave = store.enter(id);
    try {
      const agreed = readInitialize(message, options.offeredVersion);
      const session = await openHttpSession({
        id,
        ...agreed,
        createServer: (link) => options.createServer(link, opener),
        log,
        streamAfterMilliseconds: options.streamAfterMilliseconds ?? ONE_SECOND,
        enter: () => store.enter(id),
      });
      known.session = session;
      if (closed) return exchange.answer(HTTP_ERRORS.closed());
      if (known.isEnded === true) {
        session.close();
        return exchange.answer(HTTP_ERRORS.unknownSession());
      }
      exchange.answer({
        status: 200,
        headers: { ...JSON_TYPE, 'mcp-session-id': id },
        body: initializeResponse(message.id, agreed.version, session.server),
      });
    } catch (error) {
      store.delete(id);
      throw error;
    } finally {
      leave();
    }
  }

  async function post(exchange: HttpExchange, id: string, client: Client): Promise<void> {
    const leave = store.enter(id);
    const answerWith = async (): Promise<HttpAnswer | undefined> => {
      const posted = await readPosted(exchange, { parse, maxBytes });
      if ('refusal' in posted) return posted.refusal;
      if (posted.messages.some(isInitialize)) return alreadyOpen(posted);
      // The session may have been closed while the body was being received.
      const session = store.get(id)?.session;
      if (!session) return HTTP_ERRORS.unknownSession();
      if (posted.isList && !session.takesLists) return HTTP_ERRORS.listRefused();
      return session.post(exchange, posted, { client, leave });
    };
    try {
      const answer = await answerWith();
      if (!answer) return;
      exchange.answer(answer);
      leave();
    } catch (error) {
      leave();
      throw error;
    }
  }

  async function proceed(exchange: HttpExchange, id: string, client: Client): Promise<void> {
    const known = store.get(id);
    if (!known?.session || !canShare(known.opener, client)) {
      return exchange.answer(HTTP_ERRORS.unknownSession());
    }
    const version = exchange.headers.get(PROTOCOL_VERSION_HEADER);
    if (version !== null && !isOneOf(SESSION_VERSIONS, version)) {
      return exchange.answer(HTTP_ERRORS.unknownVersion(version, SESSION_VERSIONS));
    }
    if (exchange.method === 'POST') return post(exchange, id, client);
    if (exchange.method === 'GET') {
      if (accepts(exchange, STREAM)) return known.session.listen(exchange);
      return exchange.answer(HTTP_ERRORS.notAcceptable(STREAM));
    }
    store.delete(id);
    known.session.close();
    exchange.answer({ status: 200 });
  }

  return {
    async handle(exchange, client) {
      const refusal = checkHost(exchange);
      if (refusal !== undefined) return exchange.answer(HTTP_ERRORS.forbidden(refusal));
      if (closed) return exchange.answer(HTTP_ERRORS.closed());
      if (options.stateless && declaresStatelessVersion(exchange)) return options.stateless(exchange, client);
      if (!METHODS.includes(exchange.method)) return exchange.answer(HTTP_ERRORS.method(METHODS));
      const id = exchange.headers.get('mcp-session-id');
      if (id !== null) return proceed(exchange, id, client);
      return exchange.method === 'POST' ? start(exchange, client) : exchange.answer(HTTP_ERRORS.noSession());
    },
    async close(graceMilliseconds = 2000) {
      closed = true;
      store.stop();
      const endings = store.values().map(async ({ id, session }) => {
        await settlesWithin(graceMilliseconds, session?.settled() ?? Promise.resolve());
        store.delete(id);
        session?.close();
      });
      await Promise.all(endings);
    },
    endSessions(isMeant) {
      for (const known of store.values()) {
        if (!isMeant(known.opener)) continue;
        known.isEnded = true;
        store.delete(known.id);
        known.session?.close();
      }
    },
    sessions: () => store.size,
  };
}

const STREAM = ['text/event-stream'];

interface HttpSessionOptions<Client> {
  readonly id: string;
  /** The negotiated protocol version. */
  readonly version: string;
  /** Capabilities of the client. */
  readonly capabilities: SessionLink['capabilities'];
  readonly createServer: (link: SessionLink) => SessionServer<Client> | Promise<SessionServer<Client>>;
  /**
   * Records streams. If undefined, streams cannot be resumed, and requests are canceled when the
   * client disconnects.
   */
  readonly log: EventLog | undefined;
  readonly streamAfterMilliseconds: number;
  /** Marks the session as in use until the returned function is called. */
  readonly enter: () => () => void;
}

interface PostOrigin<Client> {
  readonly client: Client;
  /** Called when all requests are completed. */
  readonly leave: () => void;
}

/** A session over HTTP. */
interface HttpSession<Client> {
  /** Whether the negotiated protocol version supports lists of messages. */
  readonly takesLists: boolean;
  readonly server: SessionServer<Client>;
  /** Handles the messages of a POST. Returns an immediate response if none of them is a request. */
  post(exchange: HttpExchange, posted: PostedMessages, from: PostOrigin<Client>): HttpAnswer | undefined;
  /**
   * Opens the stream for messages that do not belong to a request, or resumes a stream whose
   * connection was lost.
   */
  listen(exchange: HttpExchange): void;
  settled(): Promise<void>;
  close(): void;
}

/** Maximum number of finished streams that are kept for clients that have not received the response. */
const MAX_FINISHED_STREAMS = 16;
/** Name of the stream for messages that do not belong to a request. */
const STANDALONE = '0';

async function openHttpSession<Client>(options: HttpSessionOptions<Client>): Promise<HttpSession<Client>> {
  const { id, version, log, enter } = options;
  const headers = { 'mcp-session-id': id };
  const primes = version >= FIRST_PRIMED_VERSION;
  const streams = new Map<string, { readonly stream: EventStream; readonly log: StreamLog }>();
  const finished: string[] = [];
  let lastName = 0;
  let listened = false;

  const forget = (name: string): void => {
    streams.get(name)?.log.forget();
    streams.delete(name);
  };
  const onEnd = (name: string): void => {
    finished.push(name);
    if (finished.length > MAX_FINISHED_STREAMS) forget(finished.shift() ?? '');
  };
  const openStream = (name: string): EventStream => {
    if (!log) return createEventStream({ headers });
    const resume = { name, log: log.open() };
    const stream = createEventStream({ headers, primes, resume, onEnd: () => onEnd(name) });
    streams.set(name, { stream, log: resume.log });
    return stream;
  };
  const standalone = openStream(STANDALONE);
  const server = await options.createServer({
    capabilities: options.capabilities,
    notify(method, params) {
      if (listened) standalone.send(notification(method, params));
    },
  });
  const session = createMcpSession(server);

  const awaitAnswer = (exchange: HttpExchange, { ids, isList, leave }: AwaitedAnswer): PostAnswer => {
    const answer = createPostAnswer({
      exchange,
      ids,
      isList,
      headers,
      streamAfterMilliseconds: options.streamAfterMilliseconds,
      openStream: () => openStream(String((lastName += 1))),
      onOver(outcome) {
        leave();
        if (outcome === 'answered' || !answer.isLost()) return;
        session.lose(answer);
        if (!log) ids.forEach(session.cancel);
      },
    });
    return answer;
  };
  const resume = (exchange: HttpExchange, eventId: string): void => {
    const event = parseEventId(eventId);
    const known = event && streams.get(event.name);
    if (!known) return exchange.answer(HTTP_ERRORS.unknownEvent());
    const isOver = known.stream.ended && known.log.after(event.number).length === 0;
    // After a status 204, clients do not reconnect.
    if (isOver) return exchange.answer({ status: 204 });
    known.stream.attach(exchange, { after: event.number, onOver: enter() });
  };

  return {
    server,
    takesLists: version === BATCH_VERSION,
    post(exchange, { messages, isList }, { client, leave }) {
      const ids = messages.flatMap((message) => (message.kind === 'request' ? [message.id] : []));
      const answer = ids.length > 0 ? awaitAnswer(exchange, { ids, isList, leave }) : NO_ANSWER;
      for (const message of messages) session.take(message, client, answer);
      return answer === NO_ANSWER ? { status: 202, headers } : undefined;
    },
    listen(exchange) {
      const lastEventId = exchange.headers.get('last-event-id');
      if (lastEventId !== null && log) return resume(exchange, lastEventId);
      if (standalone.open) return exchange.answer(HTTP_ERRORS.streamInUse());
      listened = true;
      standalone.attach(exchange, { onOver: enter() });
    },
    settled: session.settled,
    close() {
      session.close();
      standalone.end();
      for (const { stream } of streams.values()) stream.end();
      for (const name of streams.keys()) forget(name);
    },
  };
}

interface AwaitedAnswer {
  readonly ids: readonly RequestId[];
  readonly isList: boolean;
  readonly leave: () => void;
}

/** Placeholder for requests whose response is not sent to a client. */
const NO_ANSWER: PostAnswer = { tell: () => undefined, settle: () => undefined, isLost: () => true };
