import type { Duplex } from 'node:stream';

export interface RealtimeCall {
  /** The provider's name of the model. */
  readonly model: string;
  /** Headers of the client that the provider gets, for example `openai-beta`. */
  readonly headers: Readonly<Record<string, string>>;
  /** Aborted when the client has disconnected. */
  readonly signal: AbortSignal;
}

export interface OpenedSocket {
  readonly kind: 'socket';
  readonly socket: Duplex;
  /** Maximum bytes of a frame. */
  readonly maxFrameBytes: number;
}
