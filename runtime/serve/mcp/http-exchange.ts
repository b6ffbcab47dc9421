/** An HTTP request to an MCP endpoint and its response, independent of the HTTP library. */
export interface HttpExchange {
  readonly method: string;
  readonly url: string;
  readonly headers: { get(name: string): string | null };
  /** Reads the body; returns undefined if it exceeds the limit. */
  readonly readBody: (maxBytes: number) => Promise<Uint8Array | undefined>;
  /** Sends a complete response. Either this or `stream` is called, once. */
  readonly answer: (answer: HttpAnswer) => void;
  /** Starts a streamed response with status 200. */
  readonly stream: (headers: Headers) => EventSink;
  /** Calls the listener once if the client disconnects before the response is complete. */
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

/** Headers of a streamed response. */
export const STREAM_TYPE = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
};
