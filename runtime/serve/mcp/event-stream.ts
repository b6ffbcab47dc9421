import type { StreamLog } from './event-log.ts';
import { type EventSink, type HttpExchange, STREAM_TYPE } from '../http/exchange.ts';

/** A stream of server-sent events, each with one JSON-RPC message, to a client that can reconnect. */
export interface EventStream {
  /** Sends the stream as the response to a request. */
  attach(exchange: HttpExchange, options?: AttachOptions): void;
  /** Sends a JSON message. */
  send(json: string): void;
  end(): void;
  /** Whether a client that lost the connection can resume the stream. */
  readonly resumable: boolean;
  /** Whether a client is currently connected. */
  readonly open: boolean;
  readonly ended: boolean;
}

interface AttachOptions {
  /** Number of the last event that the client received. */
  readonly after?: number | undefined;
  /**
   * Called when the response is over, because the stream has ended, or because the client has
   * disconnected or reconnected with another request.
   */
  readonly onOver?: (() => void) | undefined;
}

export interface EventStreamOptions {
  /** Headers of every response that the stream starts. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /**
   * The stream's name in event IDs, and its recorded messages. If undefined, the stream cannot be
   * resumed.
   */
  readonly resume?: { readonly name: string; readonly log: StreamLog } | undefined;
  /**
   * Whether the stream starts with an event that only has an ID. Clients with versions before
   * 2025-11-25 would treat such an event as a malformed message.
   */
  readonly primes?: boolean | undefined;
  /** Interval of keepalive messages, so that no intermediary closes the connection as idle. */
  readonly keepAliveMilliseconds?: number | undefined;
  readonly onEnd?: (() => void) | undefined;
}

const KEEP_ALIVE = 15_000;
/** Delay before a disconnected client should reconnect. */
const RETRY_MILLISECONDS = 1000;

export function createEventStream(options: EventStreamOptions = {}): EventStream {
  const { headers = {}, resume, primes = false, keepAliveMilliseconds = KEEP_ALIVE } = options;
  let sink: EventSink | undefined;
  let over: (() => void) | undefined;
  let timer: NodeJS.Timeout | undefined;
  let ended = false;

  const write = (number: number | undefined, json: string): void => {
    const id = resume && number !== undefined ? `id: ${resume.name}-${number}\n` : '';
    sink?.write(`event: message\n${id}data: ${json}\n\n`);
  };
  const detach = (): void => {
    clearInterval(timer);
    sink = undefined;
    over?.();
    over = undefined;
  };
  const finish = (): void => {
    const last = sink;
    detach();
    last?.end();
  };
  const begin = (after: number | undefined): void => {
    if (!resume) return;
    const hello = `id: ${resume.name}-${after ?? resume.log.last}\nretry: ${RETRY_MILLISECONDS}\ndata: \n\n`;
    if (primes) sink?.write(hello);
    if (after !== undefined) for (const { number, json } of resume.log.after(after)) write(number, json);
  };

  return {
    attach(exchange, { after, onOver } = {}) {
      // A client that reconnects has lost its previous connection, even if the server has not
      // detected this yet.
      finish();
      const opened = exchange.stream({ ...STREAM_TYPE, ...headers });
      sink = opened;
      over = onOver;
      exchange.onGone(() => {
        if (sink === opened) detach();
      });
      timer = setInterval(() => opened.write(': keepalive\n\n'), keepAliveMilliseconds).unref();
      begin(after);
      if (ended) finish();
    },
    send(json) {
      const number = resume?.log.add(json);
      write(number, json);
    },
    end() {
      if (ended) return;
      ended = true;
      finish();
      options.onEnd?.();
    },
    resumable: resume !== undefined,
    get open() {
      return sink !== undefined;
    },
    get ended() {
      return ended;
    },
  };
}

/** Returns the stream and the event number that an event ID contains. */
export function parseEventId(id: string): { readonly name: string; readonly number: number } | undefined {
  const [, name = '', number = ''] = /^([\w]+)-(\d{1,15})$/.exec(id) ?? [];
  return name === '' ? undefined : { name, number: Number(number) };
}
