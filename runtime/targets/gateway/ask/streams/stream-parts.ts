import type { Clock } from '../../../../platform/clock.ts';
import type { StreamWords } from './stream.ts';
import type { StreamOutput } from './stream-output.ts';
import type { UpstreamReader } from './upstream-reader.ts';

/** What a stream is made of. */
export interface StreamParts {
  readonly reader: UpstreamReader;
  readonly output: StreamOutput;
  readonly words: StreamWords;
  readonly clock: Clock;
  /** When the request was sent. */
  readonly startedAt: number;
  /** How long the whole answer may take, counted from its first event. */
  readonly mostMs: number;
  /** The client's: when it has left, the provider is told so. An AppError as the reason is for the client to hear. */
  readonly signal: AbortSignal;
}
