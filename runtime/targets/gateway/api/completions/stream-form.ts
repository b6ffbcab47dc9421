import type { KeepAlive, PieceSource } from '#serve/http/exchange/piece-source.ts';
import { EVENT_STREAM, KEEP_ALIVE } from './event-stream.ts';

/** How a stream is written to the client. */
export interface StreamForm {
  readonly contentType: string;
  readonly keepAlive: KeepAlive;
  /** Changes the events of the stream into this form. */
  readonly write: (events: PieceSource) => PieceSource;
}

export const AS_EVENTS: StreamForm = {
  contentType: EVENT_STREAM,
  keepAlive: KEEP_ALIVE,
  write: (events) => events,
};
