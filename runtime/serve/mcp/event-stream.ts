import type { StreamLog } from './event-log.ts';
import { type EventSink, type HttpExchange, STREAM_TYPE } from './http-exchange.ts';

/** Server-sent events, one JSON-RPC message each, to a client that may lose the connection and come back. */
export interface EventStream {
  /** Makes it the answer to a request. */
  attach(exchange: HttpExchange, options?: AttachOptions): void;
  /** Takes JSON. */
  send(json: string): void;
  end(): void;
  /** Whether a client that lost it can have the rest. */
  readonly resumable: boolean;
  /** Whether somebody reads it now. */
  readonly open: boolean;
  readonly ended: boolean;
}

interface AttachOptions {
  /** Tell first what came after the event of that number. */
  readonly after?: number | undefined;
  /** The answer is over: it was ended, the client left or asked for it elsewhere. */
  readonly onOver?: (() => void) | undefined;
}

export interface EventStreamOptions {
  /** Sent with every answer that the stream begins. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Its name in ids of events, and what was sent; without them a stream that is lost is lost. */
  readonly resume?: { readonly name: string; readonly log: StreamLog } | undefined;
  /** Begin with an event that has an id and nothing else: clients before 2025-11-25 take it for a broken message. */
  readonly primes?: boolean | undefined;
  /** So often something is sent, so that nothing between here and the client takes the stream for dead. */
  readonly keepAliveMilliseconds?: number | undefined;
  readonly onEnd?: (() => void) | undefined;
}

const KEEP_ALIVE = 15_000;
/** After so long a client that was cut off should come back. */
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
      // Whoever comes back has lost the connection before, also if that is not known here yet.
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

/** Which event of which stream the id is of. */
export function parseEventId(id: string): { readonly name: string; readonly number: number } | undefined {
  const [, name = '', number = ''] = /^([\w]+)-(\d{1,15})$/.exec(id) ?? [];
  return name === '' ? undefined : { name, number: Number(number) };
}
