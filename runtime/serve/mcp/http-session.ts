import type { EventLog, StreamLog } from './event-log.ts';
import { createEventStream, type EventStream, parseEventId } from './event-stream.ts';
import { HTTP_ERRORS } from './http-errors.ts';
import type { HttpAnswer, HttpExchange } from '../http/exchange/exchange.ts';
import { createMcpSession, notification } from './mcp-session.ts';
import { createPostAnswer, type PostAnswer } from './post-answer.ts';
import { BATCH_VERSION, FIRST_PRIMED_VERSION } from './protocol-version.ts';
import type { PostedMessages } from './read-message.ts';
import type { RequestId } from './rpc-message.ts';
import type { SessionLink, SessionServer } from './session-server.ts';

export interface HttpSessionOptions<Client> {
  readonly id: string;
  /** The negotiated protocol version. */
  readonly version: string;
  /** Capabilities of the client. */
  readonly capabilities: SessionLink['capabilities'];
  readonly createServer: (link: SessionLink) => SessionServer<Client> | Promise<SessionServer<Client>>;
  /** Records streams; without it they cannot be resumed, and disconnecting cancels the request. */
  readonly log: EventLog | undefined;
  readonly streamAfterMilliseconds: number;
  /** Marks the session as in use until the returned function is called. */
  readonly enter: () => () => void;
}

interface PostOrigin<Client> {
  readonly client: Client;
  /** Called when everything is answered. */
  readonly leave: () => void;
}

/** A session over HTTP. */
export interface HttpSession<Client> {
  /** Whether the negotiated version of the protocol has lists of messages. */
  readonly takesLists: boolean;
  readonly server: SessionServer<Client>;
  /** Handles the messages of a POST. Returns an immediate response if none of them is a request. */
  post(exchange: HttpExchange, posted: PostedMessages, from: PostOrigin<Client>): HttpAnswer | undefined;
  /** Opens the stream for messages without a request, or resumes a lost stream. */
  listen(exchange: HttpExchange): void;
  settled(): Promise<void>;
  close(): void;
}

/** Maximum number of finished streams to keep for clients that did not receive the response. */
const MAX_FINISHED_STREAMS = 16;
/** Name of the stream for messages without a request. */
const STANDALONE = '0';

export async function openHttpSession<Client>(
  options: HttpSessionOptions<Client>,
): Promise<HttpSession<Client>> {
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

/** Placeholder for requests whose response no client receives. */
const NO_ANSWER: PostAnswer = { tell: () => undefined, settle: () => undefined, isLost: () => true };
