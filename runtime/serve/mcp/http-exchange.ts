/** One HTTP request to an MCP endpoint and the answer to it, whatever carries them. */
export interface HttpExchange {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** The body; nothing if it is longer than that. */
  readonly readBody: (maxBytes: number) => Promise<Uint8Array | undefined>;
  /** The whole answer. This or `stream` is called once. */
  readonly answer: (answer: HttpAnswer) => void;
  /** Begins an answer of status 200 that comes in pieces. */
  readonly stream: (headers: Headers) => EventSink;
  /** Tells once if the client leaves before it has the whole answer. */
  readonly onGone: (listener: () => void) => void;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers?: Headers | undefined;
  readonly body?: string | undefined;
}

export interface EventSink {
  readonly write: (text: string) => void;
  readonly end: () => void;
}

type Headers = Readonly<Record<string, string>>;

export const JSON_TYPE = { 'content-type': 'application/json' };

/** An answer that begins and goes on until it is ended. */
export const STREAM_TYPE = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
