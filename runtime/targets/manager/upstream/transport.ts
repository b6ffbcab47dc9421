import type { CloseReason } from './connection.ts';
import type { RpcMessage } from './rpc-message.ts';

/** The way messages go to one server and come back. */
export interface Transport {
  /** The child's process id. */
  readonly pid: number | undefined;
  /** Hands a message over, and does not wait. Requests that get lost are told by `onLost`. */
  send(message: RpcMessage): void;
  /** Nobody waits for the answer to this request any more. */
  cancel(id: number, reason: string): void;
  /** What the handshake agreed on. */
  readonly useProtocol: (version: string) => void;
  /** Resolves, never rejects, when it is over and everything that belonged to it is gone. */
  readonly closed: Promise<CloseReason>;
  close(): Promise<void>;
}

export interface TransportHooks {
  /** `related` is the id of the request that it came with, where the connection tells. */
  readonly onMessage: (message: RpcMessage, related?: number) => void;
  /** This request will have no answer. */
  readonly onLost: (id: number, reason: Error) => void;
  readonly onLog: (line: string) => void;
}

/** Larger messages end a connection: they would fill the memory that all servers share. */
export const MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

/** Longer lines of log, and of what should have been a message, are cut. */
export const MAX_LOG_LINE = 8192;
