import type { Params } from '../shapes/shape.ts';

/** An open connection to one MCP server, its handshake done. */
export interface Connection {
  readonly peer: PeerInfo;
  /** The child's process id. */
  readonly pid: number | undefined;
  /**
   * Resolves with the `result` as it came; numbers that JavaScript cannot hold are kept (see `lossless-json.ts`).
   * Rejects with an RpcFailure, a TimeoutFailure or a ConnectionClosed.
   * When the signal is aborted or the time is over, the server is told with `notifications/cancelled`; an aborted request
   * rejects with the signal's reason.
   */
  request(method: string, params: Params | undefined, options: RequestOptions): Promise<Params>;
  notify(method: string, params?: Params): void;
  /** Resolves with the nanoseconds a check took: `ping`, or for a server of an era without it, what that era has. */
  check(timeoutMs: number): Promise<number>;
  /** Resolves, never rejects, when the connection is over, whoever ended it. */
  readonly closed: Promise<CloseReason>;
  /** Ends it politely, then by force; resolves when the whole process group is gone. */
  close(): Promise<void>;
}

export interface RequestOptions {
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
  /** Asks for progress; each report also gives the request its whole time again. */
  readonly onProgress?: ((progress: Params) => void) | undefined;
  /** Whom the server may ask things because of this request, which has no time limit meanwhile. */
  readonly asker?: Asker | undefined;
}

/** A client who asks a server something, and may be asked something in turn. */
export interface Asker {
  /** The same for all requests of one client. */
  readonly client: object;
  /** What the client says it can do. */
  readonly capabilities: Params;
  /** Rejects with the client's error, or if there is no answer. */
  readonly ask: (method: string, params: Params | undefined, signal: AbortSignal) => Promise<Params>;
}

export interface PeerInfo {
  readonly protocolVersion: string;
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  readonly instructions?: string | undefined;
  readonly capabilities: Params;
}

export interface CloseReason {
  /** One sentence for people: what ended it. */
  readonly message: string;
  /** Whether `close` was called. */
  readonly expected: boolean;
}

/** What a connection tells while it is open. */
export interface ConnectionHooks {
  /** Anything the server says that nobody asked for, such as `notifications/tools/list_changed`. */
  readonly onNotification: (method: string, params: Params | undefined) => void;
  /** A line of the child's stderr, without its line break, cut if it is too long. */
  readonly onLog: (line: string) => void;
}

/** The server answered with a JSON-RPC error. */
export class RpcFailure extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.name = 'RpcFailure';
    this.code = code;
    this.data = data;
  }
}

/** The server did not answer in time. */
export class TimeoutFailure extends Error {
  override readonly name = 'TimeoutFailure';
}

/** The connection ended before the answer, or was closed already. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
}

/** The server refused the request as one of a session that it does not know: nothing of it was done. */
export class SessionForgotten extends ConnectionClosed {
  constructor() {
    super('The server does not know the session any more.');
  }
}
