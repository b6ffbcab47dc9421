import type { ProcessTrees } from '#platform/process-tree/process-trees.ts';
import type { CloseReason, RequestHeaders } from './connection.ts';
import type { SignIns } from './remote/open-tokens.ts';
import type { RpcMessage } from './rpc-message.ts';

/** Exchanges messages with one server. */
export interface Transport {
  /** The process ID of a child process. */
  readonly pid: number | undefined;
  /**
   * Sends a message without waiting. `onLost` reports requests that could not be delivered. Transports over HTTP add the headers
   * to the request.
   */
  send(message: RpcMessage, requestHeaders?: RequestHeaders): void;
  /** Present problems with the behavior of the server, as sentences. */
  readonly warnings?: (() => readonly string[]) | undefined;
  /** Cancels a request whose response is no longer needed. */
  cancel(id: number, reason: string): void;
  /** Sets the protocol version after the handshake. */
  readonly useProtocol: (version: string) => void;
  /** Resolves when the transport is closed and all its processes have exited; never rejects. */
  readonly closed: Promise<CloseReason>;
  close(): Promise<void>;
}

export interface TransportHooks {
  /**
   * Receives a message. `related` is the ID of the request on whose stream it arrived, if the transport knows it. Returns whether a
   * request in flight needed it.
   */
  readonly onMessage: (message: RpcMessage, related?: number) => boolean | void;
  /** Reports a request that will not get a response. */
  readonly onLost: (id: number, reason: Error) => void;
  /** Reports that the response to a request is too large. Returns whether the request is in flight. */
  readonly onTooLarge?: ((id: number) => boolean) | undefined;
  /** Maximum size of a result, in characters of JSON; a message that exceeds it is neither kept nor parsed. */
  readonly maxCharacters?: number | undefined;
  readonly onLog: (line: string) => void;
  /** Receives a warning of the manager about the server. */
  readonly onWarning?: ((text: string) => void) | undefined;
  /** Keeps track of what child processes start. Without it, they end with their process group. */
  readonly trees?: ProcessTrees | undefined;
  /** The sign-ins of persons to remote servers. */
  readonly signIns?: SignIns | undefined;
}

/** Maximum size of a message. A larger one closes the connection, because all servers share the memory of the manager. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Maximum length of a log line, and of logged text that is not a message; the rest is truncated. */
export const MAX_LOG_LINE = 8192;
