/** A body in pieces that are produced on demand. */
export interface PieceSource {
  /** Returns the next piece. Never rejects. */
  next(): Promise<IteratorResult<Uint8Array, void>>;
  /** Cancels the rest of the body. */
  cancel(): Promise<void>;
  /** Resolves if the body was cut off and the client does not read the rest: the connection is then closed. */
  readonly unread?: Promise<void> | undefined;
}

export interface KeepAlive {
  /** Text that is ignored by readers of the body. */
  readonly text: string;
  /** Interval of silence after which the text is sent, in milliseconds. */
  readonly milliseconds: number;
}
