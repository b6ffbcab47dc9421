import type { Params, RequestId } from './rpc-message.ts';

/** Handles the requests of one session. */
export interface SessionServer<Client> {
  /** Server information for the client, sent in the response to `initialize`. */
  readonly info: Params;
  readonly capabilities: Params;
  readonly instructions?: string | undefined;
  /** Handles a request. Rejects with anything that `RpcError.from` accepts. */
  readonly answer: (request: SessionRequest<Client>) => Promise<Params>;
  /** Called when the session is over. */
  readonly close?: (() => void) | undefined;
}

export interface SessionRequest<Client> {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  /** The client that sent the request. */
  readonly client: Client;
  /** Aborted when the client cancels the request or ends the session. */
  readonly signal: AbortSignal;
  /** Sends the client a notification that belongs to this request. */
  readonly notify: (method: string, params?: Params) => void;
  /**
   * Sends the client a request on behalf of this request. Rejects with the client's error, or with
   * an AppError if there is no response: the client disconnected, a timeout expired, or a signal
   * was aborted.
   */
  readonly ask: (
    method: string,
    params: Params | undefined,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ) => Promise<Params>;
}

/** A session from the server's point of view. */
export interface SessionLink {
  /** Capabilities that the client declared. */
  readonly capabilities: Params;
  /** Sends a notification that belongs to no request; clients without an open standalone stream miss it. */
  readonly notify: (method: string, params?: Params) => void;
}
