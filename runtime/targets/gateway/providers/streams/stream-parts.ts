import type { Clock } from '#platform/clock.ts';
import type { StreamSyntax } from './stream.ts';
import type { StreamOutput } from './stream-output.ts';
import type { UpstreamReader } from './upstream-reader.ts';

/** Everything that is needed to forward a stream. */
export interface StreamParts {
  readonly reader: UpstreamReader;
  readonly output: StreamOutput;
  readonly syntax: StreamSyntax;
  readonly clock: Clock;
  /** Time at which the request was sent. */
  readonly startedAt: number;
  /** Maximum time that the provider can send nothing before its first output. */
  readonly maxSilentMs: number;
  /** Called when the provider has sent its first event. */
  readonly onHeard: () => void;
  /** Maximum time for the whole answer, counted from its first event. */
  readonly maxMs: number;
  /** Aborted when the client disconnects, which also ends the call of the provider. An AppError as the reason is sent to the client. */
  readonly signal: AbortSignal;
}
