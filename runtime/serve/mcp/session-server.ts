import type { Params, RequestId } from './rpc-message.ts';

/** What answers the requests of one session. */
export interface SessionServer<Client> {
  /** What a client is told first. */
  readonly info: Params;
  readonly capabilities: Params;
  readonly instructions?: string | undefined;
  /** Rejects with whatever `RpcError.from` understands. */
  readonly answer: (request: SessionRequest<Client>) => Promise<Params>;
  /** The session is over. */
  readonly close?: (() => void) | undefined;
}

export interface SessionRequest<Client> {
  readonly id: RequestId;
  readonly method: string;
  readonly params: Params;
  /** Who sent it. */
  readonly client: Client;
  /** Aborted when the client cancels it or ends the session. */
  readonly signal: AbortSignal;
  /** Tells the client something about this request. */
  readonly notify: (method: string, params?: Params) => void;
  /**
   * Asks the client something because of this request. Rejects with the client's error, or with an AppError if there is no
   * answer: the client left, or took longer, or one of the signals was aborted.
   */
  readonly ask: (
    method: string,
    params: Params | undefined,
    options: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ) => Promise<Params>;
}

/** A session as the server sees it that answers its requests. */
export interface SessionLink {
  /** What the client said it can do. */
  readonly capabilities: Params;
  /** Tells the client something that belongs to no request; whoever has no stream open for that misses it. */
  readonly notify: (method: string, params?: Params) => void;
}
