import type { Cancellation } from '#core/limits/cancellation.ts';
import type { ProcessTrees } from '#platform/process-tree/process-trees.ts';
import type { ShapeOfParams } from '../shapes/shape.ts';
import type { SignInStore } from '../sign-in/sign-in-store.ts';
import { isAscii } from 'node:buffer';
import type { SignIns } from './remote/open-tokens.ts';
import type { ActingHooks } from './remote/user-tokens.ts';
import type { RpcMessage } from './rpc-message.ts';

/** An open connection to an MCP server, after the handshake. */
export interface Connection {
  readonly peer: PeerInfo;
  /** The child process's ID. */
  readonly pid: number | undefined;
  /**
   * Resolves with the `result`; numbers that JavaScript cannot represent are preserved (see
   * `lossless-json.ts`). Rejects with an RpcFailure, a TimeoutFailure or a ConnectionClosed or, when the
   * signal is aborted, with its reason. After a timeout or an abort, the server gets
   * `notifications/cancelled`.
   */
  request(method: string, params: ShapeOfParams | undefined, options: RequestOptions): Promise<ShapeOfParams>;
  notify(method: string, params?: ShapeOfParams): void;
  /**
   * Subscribes to a task, whose changes arrive as notifications; undefined if the server has no subscriptions. Resolves when the server
   * ends the stream; rejects like `request`. `onResponse` receives whether the server sends notifications about the task.
   */
  readonly listenToTask?:
    | ((
        taskId: string,
        options: { readonly signal: AbortSignal; readonly onResponse: (isAccepted: boolean) => void },
      ) => Promise<void>)
    | undefined;
  /**
   * Resolves with the duration of a health check in nanoseconds. It uses `ping`, or a cheap request if `ping`
   * is not supported.
   */
  check(timeoutMs: number): Promise<number>;
  /** Current problems with the server's behavior, as sentences. */
  readonly warnings?: (() => readonly string[]) | undefined;
  /** Resolves when the connection is closed by either side; never rejects. */
  readonly closed: Promise<CloseReason>;
  /** Closes the connection, by force if necessary; resolves when the whole process group has exited. */
  close(): Promise<void>;
}

/** Names in lower case, with their values. */
export type RequestHeaders = Readonly<Record<string, string>>;

export interface RequestOptions {
  readonly timeoutMs: number;
  /**
   * Called when the timeout expires. Returns the number of milliseconds by which to extend it; with 0, the
   * request fails.
   */
  readonly extend?: (() => number) | undefined;
  readonly signal?: Cancellation | undefined;
  /** Requests progress notifications; each one restarts the timeout. */
  readonly onProgress?: ((progress: ShapeOfParams) => void) | undefined;
  /** Receives the acknowledgement of a subscription. */
  readonly onAcknowledged?: ((accepted: ShapeOfParams) => void) | undefined;
  /** The client that the server can send requests to because of this request. The timeout is paused meanwhile. */
  readonly requester?: Requester | undefined;
  /** Whether the server can return a task instead of the result. */
  readonly acceptsTask?: boolean | undefined;
  /** HTTP headers for remote servers: the trace context, and the client headers that the configuration passes on. */
  readonly headers?: RequestHeaders | undefined;
}

/** The client behind a request, which can receive requests from the server. */
export interface Requester {
  /** The client's identity: the same object for all its requests. */
  readonly identity: object;
  /** Capabilities declared by the client. */
  readonly capabilities: ShapeOfParams;
  /** Sends a request to the client. Rejects with the client's error, or if the client does not respond. */
  readonly request: (
    method: string,
    params: ShapeOfParams | undefined,
    signal: AbortSignal,
  ) => Promise<ShapeOfParams>;
  /** Sends the client a notification, also after its request; undefined if that is impossible. */
  readonly notify?: ((method: string, params: ShapeOfParams) => void) | undefined;
}

export interface PeerInfo {
  readonly protocolVersion: string;
  readonly name: string;
  readonly version: string;
  readonly title?: string | undefined;
  /** What clients can show in addition: `description`, `icons` and `websiteUrl`. */
  readonly shown?: ShapeOfParams | undefined;
  readonly instructions?: string | undefined;
  readonly capabilities: ShapeOfParams;
}

export interface CloseReason {
  /** The reason as a complete sentence. */
  readonly message: string;
  /** Whether `close` was called. */
  readonly expected: boolean;
  /** Process output that explains why the connection was closed. */
  readonly lines?: readonly string[] | undefined;
}

/** Callbacks of an open connection. */
export interface ConnectionHooks extends ActingHooks {
  /** Receives the server's notifications, for example `notifications/tools/list_changed`. */
  readonly onNotification: (method: string, params: ShapeOfParams | undefined) => void;
  /** Receives the lines of the server's stderr without line breaks; long lines are truncated. */
  readonly onLog: (line: string) => void;
  /** Receives the manager's warnings about the server. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Tracks the descendants of child processes. Without it, they are terminated with their process group. */
  readonly trees?: ProcessTrees | undefined;
  /** User sign-ins; without them, remote servers only get configured credentials. */
  readonly signIns?: SignInStore | undefined;
  /** Maximum size of a result, in characters of JSON; unlimited by default. */
  readonly maxResultCharacters?: number | undefined;
  /** The connection's user, for servers with one sign-in per user. */
  readonly user?: string | undefined;
}

/** A JSON-RPC error returned by the server. */
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

/** The server did not respond in time. */
export class TimeoutFailure extends Error {
  override readonly name = 'TimeoutFailure';
}

/** The connection was closed before the response. */
export class ConnectionClosed extends Error {
  override readonly name = 'ConnectionClosed';
}

/** The server rejected a request because its session is unknown or expired. The request had no effect. */
export class SessionExpired extends ConnectionClosed {
  constructor() {
    super('The session has expired on the server.');
  }
}

/** A result exceeded `--max-result`. */
export class ResultTooLarge extends Error {
  override readonly name = 'ResultTooLarge';

  constructor(maxCharacters: number) {
    const max = (maxCharacters / 1_048_576).toFixed(1);
    super(`the result is larger than the maximum of ${max} MiB (--max-result)`);
  }
}

/** Characters in a message besides its result: the ID and the version. */
const ENVELOPE = 1024;

/**
 * Counts the characters of a message as it arrives. A message that is too large is then neither kept nor
 * parsed, which would block the shared thread for several hundred milliseconds.
 */
interface MessageMeter {
  /** Counts a chunk of the message. Returns whether the message is too large. */
  add(part: Buffer): boolean;
  /** Starts the next message. */
  reset(): void;
}

export function createMessageMeter(maxCharacters: number = Infinity): MessageMeter {
  let characters = 0;
  return {
    add(part) {
      characters += isAscii(part) ? part.length : part.toString('utf8').length;
      return characters > maxCharacters + ENVELOPE;
    },
    reset() {
      characters = 0;
    },
  };
}

/** Exchanges messages with one server. */
export interface Transport {
  /** The child process's ID. */
  readonly pid: number | undefined;
  /**
   * Sends a message without waiting. `onLost` reports requests that could not be delivered. HTTP transports
   * add the headers to the request.
   */
  send(message: RpcMessage, requestHeaders?: RequestHeaders): void;
  /** Current problems with the server's behavior, as sentences. */
  readonly warnings?: (() => readonly string[]) | undefined;
  /** Cancels a request whose response is no longer needed. */
  cancel(id: number, reason: string): void;
  /** Sets the protocol version after the handshake. */
  readonly useProtocol: (version: string) => void;
  /** Resolves when the transport is closed and all its processes have exited; never rejects. */
  readonly closed: Promise<CloseReason>;
  close(): Promise<void>;
}

export interface TransportHooks extends ActingHooks {
  /**
   * Receives a message. `related` is the ID of the request on whose stream it arrived, if the transport knows
   * it. Returns whether a request in flight was waiting for it.
   */
  readonly onMessage: (message: RpcMessage, related?: number) => boolean | void;
  /** Reports a request that will not get a response. */
  readonly onLost: (id: number, reason: Error) => void;
  /** Reports that a request's response is too large. Returns whether the request is in flight. */
  readonly onTooLarge?: ((id: number) => boolean) | undefined;
  /** Maximum size of a result, in characters of JSON; a larger message is neither kept nor parsed. */
  readonly maxCharacters?: number | undefined;
  readonly onLog: (line: string) => void;
  /** Receives a manager warning about the server. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Tracks the descendants of child processes. Without it, they are terminated with their process group. */
  readonly trees?: ProcessTrees | undefined;
  /** User sign-ins to remote servers. */
  readonly signIns?: SignIns | undefined;
}

/** Maximum size of a message. A larger one closes the connection, because all servers share the manager's memory. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Maximum length of a log line, and of logged text that is not a message; the rest is truncated. */
export const MAX_LOG_LINE = 8192;
