import type { Params, RequestId } from './rpc-message.ts';

/** Handles the requests of one session. */
export interface SessionServer<Client> {
  /** Server information for the client, sent in the response to `initialize`. */
  readonly info: Params;
  readonly capabilities: Params;
  readonly instructions?: string | undefined;
  /** Handles a request. Rejects with any value that `RpcError.from` accepts. */
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
  /** Aborted when the client cancels the request or closes the session. */
  readonly signal: AbortSignal;
  /** Sends the client a notification that belongs to this request. */
  readonly notify: (method: string, params?: Params) => void;
  /**
   * Sends the client a request on behalf of this request. Rejects with the client's error, or with
   * an AppError if there is no response, because the client has disconnected, a timeout has expired
   * or a signal has been aborted.
   */
  readonly ask: (
    method: string,
    params: Params | undefined,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ) => Promise<Params>;
}

/** The interface through which the server uses a session. */
export interface SessionLink {
  /** The capabilities that the client has declared. */
  readonly capabilities: Params;
  /**
   * Sends a notification that does not belong to a request. Clients without an open standalone
   * stream do not receive it.
   */
  readonly notify: (method: string, params?: Params) => void;
}
